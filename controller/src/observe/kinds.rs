//! The kinds that are followed: one watch each, however many policies there are.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_core_olm::{
    CatalogSource, ClusterServiceVersion, CustomResourceDefinition, InstallPlan, Namespace,
    OperatorGroup, Subscription,
};
use portolan_runtime::Cached;
use portolan_world::{Changes, Followed, Informer, Key, Kind, Notifier, State, World};

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

    /// All of them.
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
        ]
    }

    /// How sure each kind is.
    pub(super) fn states(&self) -> [(&'static str, &State); 8] {
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

    /// Whether the cluster has kinds of OLM.
    pub(super) fn has_olm(&self) -> bool {
        self.olm()
            .iter()
            .any(|(_, state)| **state != State::NotServed)
    }

    /// The kinds of OLM that the cluster does not have, though it has others: somebody is at work on
    /// them, and nothing may be concluded from that.
    pub(super) fn lacking(&self) -> impl Iterator<Item = &'static str> {
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
    pub(super) fn odd_within(&self, namespace: &str) -> Vec<(&'static str, String)> {
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

    /// The namespaces that hold an object which has changed.
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

fn shown<K: Kind>(followed: &Followed<K>, key: &Key) -> Option<Cached> {
    let metadata = followed.shared(key)?.meta();
    Some(Cached {
        uid: metadata.uid.clone(),
        version: metadata.resource_version.clone(),
        is_terminating: metadata.deletion_timestamp.is_some(),
    })
}
