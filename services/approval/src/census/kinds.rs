//! The kinds that are followed.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_core_olm::{ClusterServiceVersion, InstallPlan, Subscription};
use portolan_world::{Area, Bell, Followed, Key, Kind, World};

/// The kinds that reviews are made from.
#[derive(Debug)]
pub(super) struct Kinds {
    pub(super) plans: Followed<InstallPlan>,
    pub(super) subscriptions: Followed<Subscription>,
    pub(super) csvs: Followed<ClusterServiceVersion>,
    pub(super) policies: Followed<OperatorPolicy>,
}

/// What has changed among all of them.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Whether some kind is as sure as it was no longer, or surer: that bears on all namespaces.
    pub(super) is_other_state: bool,
    /// The namespaces of what has changed, policies aside.
    pub(super) namespaces: BTreeSet<Arc<str>>,
    /// Policies that may mean namespaces other than their own.
    pub(super) policies: Vec<Key>,
}

// === impl Kinds ===

impl Kinds {
    /// Those of the world; of a namespace, where only that is of interest. Policies may mean other
    /// namespaces than their own.
    pub(super) fn of(world: &impl World, namespace: Option<&str>, bell: &Bell) -> Self {
        let area = namespace.map(Area::namespace).unwrap_or_default();
        Self {
            plans: open(world, &area, bell),
            subscriptions: open(world, &area, bell),
            csvs: open(world, &area, bell),
            policies: open(world, &Area::everywhere(), bell),
        }
    }

    /// Takes over what there is now.
    pub(super) fn look(&mut self) -> Turns {
        let Self {
            plans,
            subscriptions,
            csvs,
            policies,
        } = self;
        let turns = [plans.look(), subscriptions.look(), csvs.look()];
        let policies = policies.look();
        let keys = turns.iter().flat_map(|turn| &turn.keys);
        Turns {
            is_other_state: policies.is_other_state || turns.iter().any(|turn| turn.is_other_state),
            namespaces: keys.map(|key| key.namespace.clone()).collect(),
            policies: policies.keys,
        }
    }

    /// Whether there is an answer about every kind.
    pub(super) fn are_known(&self) -> bool {
        let Self {
            plans,
            subscriptions,
            csvs,
            policies,
        } = self;
        let pending = [
            plans.is_pending(),
            subscriptions.is_pending(),
            csvs.is_pending(),
            policies.is_pending(),
        ];
        !pending.contains(&true)
    }

    /// Why not all is seen that bears on a namespace, or not as it is now. A policy that was not
    /// read whole speaks for itself.
    pub(super) fn unseen(&self, namespace: &str) -> Vec<String> {
        let Self {
            plans,
            subscriptions,
            csvs,
            policies,
        } = self;
        let unseen = [
            doubt("InstallPlans", plans, namespace),
            doubt("Subscriptions", subscriptions, namespace),
            doubt("ClusterServiceVersions", csvs, namespace),
            policies
                .doubt_of_all()
                .map(|why| sentence("OperatorPolicies", &why)),
            hidden(policies).map(|why| format!("an OperatorPolicy may be hidden: {why}")),
        ];
        unseen.into_iter().flatten().collect()
    }
}

fn open<K: Kind>(world: &impl World, area: &Area, bell: &Bell) -> Followed<K> {
    Followed::of(world.objects_in::<K>(area.clone()), bell)
}

fn doubt<K: Kind>(kinds: &str, followed: &Followed<K>, namespace: &str) -> Option<String> {
    let doubt = followed.doubt(|key| *key.namespace == *namespace);
    doubt.map(|why| sentence(kinds, &why))
}

/// What is wrong with something that may be a policy, of which nobody knows what it says.
fn hidden(policies: &Followed<OperatorPolicy>) -> Option<&str> {
    let mut faults = policies.faults();
    let gone = faults.find(|(key, _)| policies.object(&key.namespace, &key.name).is_none());
    policies.unread().or(gone.map(|(_, why)| why))
}

fn sentence(kinds: &str, why: &str) -> String {
    format!("{kinds} are not observed: {why}")
}

// === impl Turns ===

impl Turns {
    /// Adds what has changed since.
    pub(super) fn join(&mut self, later: Self) {
        let Self {
            is_other_state,
            namespaces,
            policies,
        } = later;
        self.is_other_state |= is_other_state;
        self.namespaces.extend(namespaces);
        self.policies.extend(policies);
    }
}
