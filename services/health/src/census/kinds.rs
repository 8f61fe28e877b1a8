//! The kinds that are followed all the time.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_olm::{
    ApiService, CatalogSource, ClusterServiceVersion, CustomResourceDefinition, Deployment,
    InstallPlan, OperatorCondition, OperatorGroup, Subscription,
};
use portolan_world::{Area, Bell, Followed, Key, Kind, Turn, World};

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
    pub(super) definitions: Followed<CustomResourceDefinition>,
    pub(super) served: Followed<ApiService>,
    pub(super) catalogs: Followed<CatalogSource>,
}

/// What has changed among all of them.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Whether some kind is as sure as it was no longer, or surer: that bears on all namespaces.
    pub(super) is_other_state: bool,
    /// The namespaces of what has changed.
    pub(super) namespaces: BTreeSet<Arc<str>>,
    pub(super) definitions: Vec<Key>,
    pub(super) served: Vec<Key>,
    pub(super) catalogs: Vec<Key>,
}

// === impl Kinds ===

impl Kinds {
    /// Those of the world; of a namespace, where only that is of interest. Catalogs serve other
    /// namespaces than their own.
    pub(super) fn of(world: &impl World, namespace: Option<&str>, bell: &Bell) -> Self {
        let area = namespace.map(Area::namespace).unwrap_or_default();
        Self {
            subscriptions: open(world, &area, bell),
            groups: expected(world, &area, bell),
            plans: expected(world, &area, bell),
            csvs: open(world, &area, bell),
            conditions: open(world, &area, bell),
            deployments: expected(world, &area, bell),
            definitions: expected(world, &Area::everywhere(), bell),
            served: open(world, &Area::everywhere(), bell),
            catalogs: expected(world, &Area::everywhere(), bell),
        }
    }

    /// Takes over what there is now.
    pub(super) fn look(&mut self) -> Turns {
        let Self {
            subscriptions,
            groups,
            plans,
            csvs,
            conditions,
            deployments,
            definitions,
            served,
            catalogs,
        } = self;
        let mut turns = Turns::default();
        turns.add(subscriptions.look());
        turns.add(groups.look());
        turns.add(plans.look());
        turns.add(csvs.look());
        turns.add(conditions.look());
        turns.add(deployments.look());
        turns.definitions = turns.note(definitions.look());
        turns.served = turns.note(served.look());
        turns.catalogs = turns.note(catalogs.look());
        turns
    }

    /// Whether there is an answer about every kind.
    pub(super) fn are_known(&self) -> bool {
        let Self {
            subscriptions,
            groups,
            plans,
            csvs,
            conditions,
            deployments,
            definitions,
            served,
            catalogs,
        } = self;
        let pending = [
            subscriptions.is_pending(),
            groups.is_pending(),
            plans.is_pending(),
            csvs.is_pending(),
            conditions.is_pending(),
            deployments.is_pending(),
            definitions.is_pending(),
            served.is_pending(),
            catalogs.is_pending(),
        ];
        !pending.contains(&true)
    }

    /// What hides things that may well be there.
    pub(super) fn unseen(&self) -> Unseen {
        Unseen {
            csvs: self.csvs.unknown(),
            subscriptions: self.subscriptions.unknown(),
            catalogs: self.catalogs.unknown(),
        }
    }

    /// Every namespace that has an operator, or shall have one.
    pub(super) fn namespaces(&self) -> BTreeSet<Arc<str>> {
        let mut namespaces = self.subscriptions.namespaces();
        namespaces.append(&mut self.csvs.namespaces());
        namespaces
    }
}

fn open<K: Kind>(world: &impl World, area: &Area, bell: &Bell) -> Followed<K> {
    Followed::of(world.objects_in::<K>(area.clone()), bell)
}

/// The same of a kind that every cluster with operators has objects of: where files have none, they
/// were left out.
fn expected<K: Kind>(world: &impl World, area: &Area, bell: &Bell) -> Followed<K> {
    Followed::within_world(world, area.clone(), bell)
}

// === impl Turns ===

impl Turns {
    /// Adds what has changed since.
    pub(super) fn join(&mut self, later: Self) {
        let Self {
            is_other_state,
            namespaces,
            definitions,
            served,
            catalogs,
        } = later;
        self.is_other_state |= is_other_state;
        self.namespaces.extend(namespaces);
        self.definitions.extend(definitions);
        self.served.extend(served);
        self.catalogs.extend(catalogs);
    }

    fn add(&mut self, turn: Turn) {
        let keys = self.note(turn);
        let namespaces = keys.into_iter().map(|key| key.namespace);
        self.namespaces.extend(namespaces);
    }

    fn note(&mut self, turn: Turn) -> Vec<Key> {
        self.is_other_state |= turn.is_other_state;
        turn.keys
    }
}
