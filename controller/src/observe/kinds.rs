//! The watched kinds. Each kind has one watch, regardless of the number of policies.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_api::policy::PolicyBinding;
use portolan_core_olm::{
    CatalogSource, ClusterServiceVersion, CustomResourceDefinition, InstallPlan, Namespace,
    OperatorGroup, Subscription,
};
use portolan_core_operatorpolicy::StaleKind;
use portolan_runtime::Cached;
use portolan_world::{Changes, Followed, Informer, Key, Kind, Notifier, State, World};

/// The watched kinds that affect policies.
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
    pub(super) bindings: Followed<PolicyBinding>,
}

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
            bindings: open(world, notifier),
        }
    }

    /// Returns the informers of all kinds.
    pub(super) fn all(&mut self) -> Vec<&mut dyn Informer> {
        let Self {
            policies,
            subscriptions,
            groups,
            plans,
            csvs,
            catalogs,
            crds,
            namespaces,
            bindings,
        } = self;
        vec![
            policies,
            subscriptions,
            groups,
            plans,
            csvs,
            catalogs,
            crds,
            namespaces,
            bindings,
        ]
    }

    /// Returns the state of each kind, except for PolicyBindings.
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
            bindings: _,
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

    /// Returns true if the API server serves at least one kind of OLM.
    pub(super) fn has_olm(&self) -> bool {
        self.olm()
            .iter()
            .any(|(_, state)| **state != State::NotServed)
    }

    /// Returns the kinds of OLM that the API server does not serve although it serves other kinds
    /// of OLM. This state is temporary, so it is not treated as an absence of objects.
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

    /// Returns the cached state of an object of a kind that the controller writes. Returns None if
    /// the object does not exist.
    pub(super) fn shown(&self, kind: &str, key: &Key) -> Option<Cached> {
        match kind {
            "OperatorPolicy" => shown(&self.policies, key),
            "Subscription" => shown(&self.subscriptions, key),
            "OperatorGroup" => shown(&self.groups, key),
            "InstallPlan" => shown(&self.plans, key),
            "ClusterServiceVersion" => shown(&self.csvs, key),
            "CustomResourceDefinition" => shown(&self.crds, key),
            "Namespace" => shown(&self.namespaces, key),
            // The controller does not write objects of other kinds.
            _ => None,
        }
    }

    /// Returns the kinds of OLM with an object in a namespace that could not be read completely,
    /// each with the reason.
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

    /// Returns the kinds whose objects are unreliable: all objects may be outdated, or an object in
    /// the namespace could not be read completely. No decision is based on missing objects of these
    /// kinds.
    pub(super) fn stale(&self, namespace: Option<&str>) -> Vec<StaleKind> {
        let states = self.states().into_iter();
        let mut all: Vec<_> = states
            .filter_map(|(kind, state)| stale_kind(kind, state))
            .collect();
        all.extend(self.lacking().map(|kind| StaleKind {
            kind,
            since: None,
            why: "the cluster does not have this kind now, but has other kinds of OLM".to_owned(),
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

    /// Returns the namespaces that contain a changed object.
    pub(super) fn touched(changes: &Changes) -> BTreeSet<Arc<str>> {
        let namespaces = changes.of::<Namespace>().iter();
        changes
            .namespaces::<Subscription>()
            .chain(changes.namespaces::<OperatorGroup>())
            .chain(changes.namespaces::<InstallPlan>())
            .chain(changes.namespaces::<ClusterServiceVersion>())
            .chain(namespaces.map(|key| key.name.clone()))
            .collect()
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
    Some(Cached::of(followed.shared(key)?.meta()))
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
    fn stale_kinds_follow_the_state_of_the_watch(
        #[case] state: State,
        #[case] expected: Option<StaleKind>,
    ) {
        assert_eq!(stale_kind("Subscription", &state), expected);
    }
}
