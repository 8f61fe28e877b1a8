//! The kinds that are followed: one watch each, however many policies there are.

use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_core_olm::{
    CatalogSource, ClusterServiceVersion, CustomResourceDefinition, InstallPlan, Namespace,
    OperatorGroup, Subscription,
};
use portolan_core_operatorpolicy::StaleKind;
use portolan_runtime::Cached;
use portolan_world::{Followed, Key, Kind, Notifier, State, Turn, World};

/// The kinds that bear on policies.
#[derive(Debug)]
pub(super) struct Kinds {
    pub(super) policies: Followed<OperatorPolicy>,
    pub(super) subscriptions: Followed<Subscription>,
    pub(super) groups: Followed<OperatorGroup>,
    pub(super) plans: Followed<InstallPlan>,
    pub(super) csvs: Followed<ClusterServiceVersion>,
    pub(super) catalogs: Followed<CatalogSource>,
    pub(super) crds: Followed<CustomResourceDefinition>,
    pub(super) namespaces: Followed<Namespace>,
}

/// What has changed among all of them.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Whether some kind is as sure as it was no longer, or surer: that bears on all policies.
    pub(super) is_other_state: bool,
    pub(super) policies: Vec<Key>,
    pub(super) subscriptions: Vec<Key>,
    pub(super) groups: Vec<Key>,
    pub(super) plans: Vec<Key>,
    pub(super) csvs: Vec<Key>,
    pub(super) catalogs: Vec<Key>,
    pub(super) crds: Vec<Key>,
    pub(super) namespaces: Vec<Key>,
}

// === impl Kinds ===

impl Kinds {
    pub(super) fn of(world: &impl World, notifier: &Notifier) -> Self {
        Self {
            policies: open(world, notifier),
            subscriptions: open(world, notifier),
            groups: open(world, notifier),
            plans: open(world, notifier),
            csvs: open(world, notifier),
            catalogs: open(world, notifier),
            crds: open(world, notifier),
            namespaces: open(world, notifier),
        }
    }

    /// Takes over what there is now.
    pub(super) fn look(&mut self) -> Changes {
        let Self {
            policies,
            subscriptions,
            groups,
            plans,
            csvs,
            catalogs,
            crds,
            namespaces,
        } = self;
        let mut changes = Changes::default();
        changes.policies = changes.note(policies.look());
        changes.subscriptions = changes.note(subscriptions.look());
        changes.groups = changes.note(groups.look());
        changes.plans = changes.note(plans.look());
        changes.csvs = changes.note(csvs.look());
        changes.catalogs = changes.note(catalogs.look());
        changes.crds = changes.note(crds.look());
        changes.namespaces = changes.note(namespaces.look());
        changes
    }

    /// How sure each kind is.
    fn states(&self) -> [(&'static str, &State); 8] {
        let Self {
            policies,
            subscriptions,
            groups,
            plans,
            csvs,
            catalogs,
            crds,
            namespaces,
        } = self;
        [
            ("OperatorPolicy", policies.state()),
            ("Subscription", subscriptions.state()),
            ("OperatorGroup", groups.state()),
            ("InstallPlan", plans.state()),
            ("ClusterServiceVersion", csvs.state()),
            ("CatalogSource", catalogs.state()),
            ("CustomResourceDefinition", crds.state()),
            ("Namespace", namespaces.state()),
        ]
    }

    /// Whether there is an answer about every kind.
    pub(super) fn are_known(&self) -> bool {
        let states = self.states();
        !states.iter().any(|(_, state)| **state == State::Pending)
    }

    /// Whether the cluster has kinds of OLM.
    pub(super) fn has_olm(&self) -> bool {
        self.olm()
            .iter()
            .any(|(_, state)| **state != State::NotServed)
    }

    /// The kinds of OLM that the cluster does not have, though it has others: somebody is at work on
    /// them, and nothing may be concluded from that.
    fn lacking(&self) -> impl Iterator<Item = &'static str> {
        let lacking = self.olm().into_iter().filter(|_| self.has_olm());
        lacking.filter_map(|(kind, state)| (*state == State::NotServed).then_some(kind))
    }

    fn olm(&self) -> [(&'static str, &State); 5] {
        [
            ("Subscription", self.subscriptions.state()),
            ("OperatorGroup", self.groups.state()),
            ("InstallPlan", self.plans.state()),
            ("ClusterServiceVersion", self.csvs.state()),
            ("CatalogSource", self.catalogs.state()),
        ]
    }

    /// An object of a kind that is written, if it is there.
    pub(super) fn shown(&self, kind: &str, key: &Key) -> Option<Cached> {
        match kind {
            "OperatorPolicy" => shown(&self.policies, key),
            "Subscription" => shown(&self.subscriptions, key),
            "OperatorGroup" => shown(&self.groups, key),
            "InstallPlan" => shown(&self.plans, key),
            "ClusterServiceVersion" => shown(&self.csvs, key),
            "CustomResourceDefinition" => shown(&self.crds, key),
            "Namespace" => shown(&self.namespaces, key),
            // Nobody writes others.
            _ => None,
        }
    }

    /// Those of OLM in a namespace that were not read whole, each kind with why.
    fn odd_within(&self, namespace: &str) -> Vec<(&'static str, String)> {
        let odd = [
            ("Subscription", self.subscriptions.fault_within(namespace)),
            ("OperatorGroup", self.groups.fault_within(namespace)),
            ("InstallPlan", self.plans.fault_within(namespace)),
            ("ClusterServiceVersion", self.csvs.fault_within(namespace)),
        ];
        let odd = odd.into_iter();
        odd.filter_map(|(kind, why)| Some((kind, why?.to_owned())))
            .collect()
    }

    /// The kinds whose objects are not seen as they are now: all of them, or one in the namespace
    /// that was not read whole, of which nothing may be concluded.
    pub(super) fn stale(&self, namespace: Option<&str>) -> Vec<StaleKind> {
        let states = self.states().into_iter();
        let mut all: Vec<_> = states
            .filter_map(|(kind, state)| stale_kind(kind, state))
            .collect();
        all.extend(self.lacking().map(|kind| StaleKind {
            kind,
            since: None,
            why: "the cluster has no such kind now, though it has others of OLM".to_owned(),
        }));
        let odd = namespace.map(|name| self.odd_within(name));
        for (kind, why) in odd.into_iter().flatten() {
            if !all.iter().any(|stale| stale.kind == kind) {
                let since = None;
                all.push(StaleKind { kind, since, why });
            }
        }
        all
    }

    /// The namespaces that hold an object in any of these changes.
    pub(super) fn touched(changes: &Changes) -> impl Iterator<Item = &Arc<str>> {
        let keys = [
            &changes.subscriptions,
            &changes.groups,
            &changes.plans,
            &changes.csvs,
        ];
        let inside = keys.into_iter().flatten().map(|key| &key.namespace);
        inside.chain(changes.namespaces.iter().map(|key| &key.name))
    }
}

fn open<K: Kind>(world: &impl World, notifier: &Notifier) -> Followed<K> {
    Followed::of(world.objects::<K>(), notifier)
}

fn stale_kind(kind: &'static str, state: &State) -> Option<StaleKind> {
    let (since, why) = match state {
        State::Synced | State::NotServed => return None,
        State::Pending => (None, state.to_string()),
        State::Unknown { trouble, since } | State::Stale { trouble, since } => {
            (Some(*since), trouble.to_string())
        }
    };
    Some(StaleKind { kind, since, why })
}

fn shown<K: Kind>(followed: &Followed<K>, key: &Key) -> Option<Cached> {
    let metadata = followed.shared(key)?.meta();
    Some(Cached {
        uid: metadata.uid.clone(),
        version: metadata.resource_version.clone(),
        is_terminating: metadata.deletion_timestamp.is_some(),
    })
}

// === impl Changes ===

impl Changes {
    /// Adds what has changed since.
    pub(super) fn join(&mut self, later: Self) {
        let Self {
            is_other_state,
            policies,
            subscriptions,
            groups,
            plans,
            csvs,
            catalogs,
            crds,
            namespaces,
        } = later;
        self.is_other_state |= is_other_state;
        self.policies.extend(policies);
        self.subscriptions.extend(subscriptions);
        self.groups.extend(groups);
        self.plans.extend(plans);
        self.csvs.extend(csvs);
        self.catalogs.extend(catalogs);
        self.crds.extend(crds);
        self.namespaces.extend(namespaces);
    }

    fn note(&mut self, turn: Turn) -> Vec<Key> {
        self.is_other_state |= turn.is_other_state;
        turn.keys
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use portolan_world::Trouble;
    use rstest::rstest;

    use super::*;

    fn trouble() -> Trouble {
        Trouble::Forbidden("no".to_owned())
    }

    fn stale(since: Option<Timestamp>, why: &str) -> Option<StaleKind> {
        Some(StaleKind {
            kind: "Subscription",
            since,
            why: why.to_owned(),
        })
    }

    const EPOCH: Timestamp = Timestamp::UNIX_EPOCH;

    #[rstest]
    #[case::seen(State::Synced, None)]
    #[case::not_served(State::NotServed, None)]
    #[case::on_its_way(State::Pending, stale(None, "not read yet"))]
    #[case::never_seen(
        State::Unknown { trouble: trouble(), since: EPOCH },
        stale(Some(EPOCH), "forbidden: no")
    )]
    #[case::old(
        State::Stale { trouble: trouble(), since: EPOCH },
        stale(Some(EPOCH), "forbidden: no")
    )]
    fn a_kind_is_not_seen_as_it_is(#[case] state: State, #[case] expected: Option<StaleKind>) {
        assert_eq!(stale_kind("Subscription", &state), expected);
    }
}
