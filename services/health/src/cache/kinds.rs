//! The kinds that are followed all the time.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_olm::{
    ApiService, CatalogSource, ClusterServiceVersion, CustomResourceDefinition, Deployment,
    InstallPlan, OperatorCondition, OperatorGroup, Subscription,
};
use portolan_world::{Area, Changes, Followed, Informer, Kind, Notifier, World};

use crate::snapshot::Unseen;

/// The kinds that operators and catalogs are judged by.
#[derive(Debug)]
pub(super) struct Kinds {
    pub(super) subscriptions: Followed<Subscription>,
    pub(super) groups: Followed<OperatorGroup>,
    pub(super) plans: Followed<InstallPlan>,
    pub(super) csvs: Followed<ClusterServiceVersion>,
    pub(super) conditions: Followed<OperatorCondition>,
    pub(super) deployments: Followed<Deployment>,
    pub(super) crds: Followed<CustomResourceDefinition>,
    pub(super) served: Followed<ApiService>,
    pub(super) catalogs: Followed<CatalogSource>,
}

impl Kinds {
    /// Those of the world; of a namespace, where only that is of interest. Catalogs serve other
    /// namespaces than their own.
    pub(super) fn of(world: &impl World, namespace: Option<&str>, notifier: &Notifier) -> Self {
        let area = namespace.map(Area::namespace).unwrap_or_default();
        Self {
            subscriptions: open(world, &area, notifier),
            groups: expected(world, &area, notifier),
            plans: expected(world, &area, notifier),
            csvs: open(world, &area, notifier),
            conditions: open(world, &area, notifier),
            deployments: expected(world, &area, notifier),
            crds: expected(world, &Area::everywhere(), notifier),
            served: open(world, &Area::everywhere(), notifier),
            catalogs: expected(world, &Area::everywhere(), notifier),
        }
    }

    /// Each of them.
    pub(super) fn all(&mut self) -> Vec<&mut dyn Informer> {
        let Self {
            subscriptions,
            groups,
            plans,
            csvs,
            conditions,
            deployments,
            crds,
            served,
            catalogs,
        } = self;
        vec![
            subscriptions,
            groups,
            plans,
            csvs,
            conditions,
            deployments,
            crds,
            served,
            catalogs,
        ]
    }

    /// Returns the namespaces whose operators a change affects.
    pub(super) fn touched(&self, changes: &Changes) -> BTreeSet<Arc<str>> {
        // Named one by one, so that the compiler leads here with the next one.
        let Self {
            subscriptions,
            groups,
            plans,
            csvs,
            conditions,
            deployments,
            // These affect other namespaces than their own.
            crds: _,
            served: _,
            catalogs: _,
        } = self;
        let mut touched = BTreeSet::new();
        touched.extend(namespaces(subscriptions, changes));
        touched.extend(namespaces(groups, changes));
        touched.extend(namespaces(plans, changes));
        touched.extend(namespaces(csvs, changes));
        touched.extend(namespaces(conditions, changes));
        touched.extend(namespaces(deployments, changes));
        touched
    }

    /// Returns the reasons why existing objects may be hidden.
    pub(super) fn unseen(&self) -> Unseen {
        Unseen {
            csvs: self.csvs.unknown(),
            subscriptions: self.subscriptions.unknown(),
            catalogs: self.catalogs.unknown(),
            ..Unseen::default()
        }
    }

    /// Returns every namespace with an operator, or with a Subscription.
    pub(super) fn namespaces(&self) -> BTreeSet<Arc<str>> {
        let mut namespaces = self.subscriptions.namespaces();
        namespaces.append(&mut self.csvs.namespaces());
        namespaces
    }
}

fn namespaces<K: Kind>(_: &Followed<K>, changes: &Changes) -> impl Iterator<Item = Arc<str>> {
    changes.namespaces::<K>()
}

fn open<K: Kind>(world: &impl World, area: &Area, notifier: &Notifier) -> Followed<K> {
    Followed::of(world.objects_in::<K>(area.clone()), notifier)
}

/// The same of a kind that every cluster with operators has objects of: where files have none, they
/// were left out.
fn expected<K: Kind>(world: &impl World, area: &Area, notifier: &Notifier) -> Followed<K> {
    Followed::within_world(world, area.clone(), notifier)
}
