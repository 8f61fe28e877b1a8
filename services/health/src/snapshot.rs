//! The state with which the health service processes requests.

mod change;

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_health::{Catalog, Kind, Object, Operator};
use portolan_world::Key;

pub(crate) use self::change::Change;
use crate::Grounds;
use crate::probe::Probed;

/// The operators and catalogs at one point in time. A Snapshot is immutable. A newer Snapshot
/// replaces it and shares its unchanged content.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    /// The operators of each namespace that has operators, sorted by [`place`].
    pub(crate) operators: BTreeMap<Arc<str>, Residents>,
    /// The catalogs.
    pub(crate) catalogs: BTreeMap<Key, Arc<Asked>>,
    /// The reasons why objects may exist that cannot be listed.
    pub(crate) unseen: Unseen,
    /// The facts that determined the verdicts. Empty if facts are not stored.
    pub(crate) grounds: Grounds,
}

/// The operators of one namespace.
pub(crate) type Residents = Arc<[Arc<Operator>]>;

/// A judged catalog, with the result of probing its registry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) catalog: Catalog,
    pub(crate) probed: Probed,
}

/// The reasons why objects are unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Unseen {
    /// The reason why there may be unknown operators without a Subscription. None if all of them
    /// are known.
    pub(crate) csvs: Option<String>,
    /// The reason why there may be unknown operators with a Subscription. None if all of them are
    /// known.
    pub(crate) subscriptions: Option<String>,
    /// The reason why there may be unknown operators of InstallPlans. None if all of them are
    /// known.
    pub(crate) plans: Option<String>,
    /// The reasons why there may be unknown operators of cluster-scoped kinds.
    pub(crate) cluster_scoped: Vec<String>,
    /// The reason why there may be unknown catalogs. None if all of them are known.
    pub(crate) catalogs: Option<String>,
}

// === impl Unseen ===

impl Unseen {
    /// Returns the reasons why there may be unknown operators of OLM v0.
    pub(crate) fn olm(&self) -> impl Iterator<Item = &String> {
        self.subscriptions.iter().chain(&self.csvs)
    }

    /// Returns the reasons why there may be unknown operators, in one namespace or in all
    /// namespaces. For one namespace, cluster-scoped kinds are ignored.
    pub(crate) fn operators(&self, namespace: Option<&str>) -> impl Iterator<Item = &String> {
        let cluster_scoped = self
            .cluster_scoped
            .iter()
            .filter(move |_| namespace.is_none());
        self.olm().chain(cluster_scoped).chain(&self.plans)
    }
}

// === impl Snapshot ===

impl Snapshot {
    /// Returns the operators of one namespace or of all namespaces, sorted by [`place`].
    pub(crate) fn residents<'a>(
        &'a self,
        namespace: Option<&str>,
    ) -> impl Iterator<Item = &'a Arc<Operator>> + use<'a> {
        let (one, all) = match namespace {
            Some(namespace) => (self.operators.get(namespace), None),
            None => (None, Some(self.operators.values())),
        };
        let some = one.into_iter().chain(all.into_iter().flatten());
        some.flat_map(|residents| residents.iter())
    }

    /// Returns the catalogs of one namespace or of all namespaces, sorted by name.
    pub(crate) fn asked<'a>(
        &'a self,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Arc<Asked>> {
        let is_wanted = move |key: &Key| namespace.is_none_or(|wanted| *key.namespace == *wanted);
        let catalogs = self.catalogs.iter().filter(move |(key, _)| is_wanted(key));
        catalogs.map(|(_, asked)| asked)
    }
}

// === impl Asked ===

impl Asked {
    /// Returns true if clients see no difference between both catalogs. Ignores details, times and
    /// resource versions.
    pub(crate) fn says_as(&self, other: &Self) -> bool {
        let Self { catalog, probed } = self;
        let Catalog {
            subject,
            connection,
            facts,
            verdict: _,
        } = catalog;
        let others = &other.catalog.facts;
        *subject == other.catalog.subject
            && *connection == other.catalog.connection
            && facts.len() == others.len()
            && facts.iter().zip(others).all(|(a, b)| a.says_as(b))
            && probed.address == other.probed.address
            && probed.probe == other.probed.probe
    }
}

/// Returns the key by which operators are sorted: namespace, name and kind.
pub(crate) fn place(subject: &Object) -> (&str, &str, Kind) {
    (&subject.namespace, &subject.name, subject.kind)
}
