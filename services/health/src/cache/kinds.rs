//! The kinds that are always watched.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_olm::{
    ApiService, CatalogSource, ClusterServiceVersion, CustomResourceDefinition, Deployment,
    InstallPlan, OperatorCondition, OperatorGroup, Subscription,
};
use portolan_world::{Area, Changes, Followed, Informer, Kind, Notifier, World};

use crate::snapshot::Unseen;

/// The kinds that determine the health of operators and catalogs.
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
    /// Watches the kinds in the whole world or in one namespace. Catalogs are always watched in all
    /// namespaces, because operators of other namespaces use them.
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

    /// Returns the informers of all kinds.
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

    /// Returns the namespaces whose operators are affected by a change.
    pub(super) fn touched(&self, changes: &Changes) -> BTreeSet<Arc<str>> {
        // The pattern lists all fields, so that a new kind causes a compile error until this
        // function handles it.
        let Self {
            subscriptions,
            groups,
            plans,
            csvs,
            conditions,
            deployments,
            // Objects of the following kinds also affect other namespaces than their own.
            // `References` handles them.
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

    /// Returns the reasons why objects may exist that cannot be listed.
    pub(super) fn unseen(&self) -> Unseen {
        Unseen {
            csvs: self.csvs.unknown(),
            subscriptions: self.subscriptions.unknown(),
            catalogs: self.catalogs.unknown(),
            ..Unseen::default()
        }
    }

    /// Returns all namespaces with an operator or a Subscription.
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

/// Watches a kind that every cluster with operators uses. If files contain no object of this kind,
/// the objects may have been left out.
fn expected<K: Kind>(world: &impl World, area: &Area, notifier: &Notifier) -> Followed<K> {
    Followed::within_world(world, area.clone(), notifier)
}
