//! The Snapshot that health answers from.

mod change;

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_health::{Catalog, Kind, Object, Operator};
use portolan_world::Key;

pub(crate) use self::change::Change;
use crate::Grounds;
use crate::probe::Probed;

/// The operators and catalogs of one time. It is immutable; a newer one replaces it and shares what
/// did not change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    /// The operators of each namespace that has any, in order of their [`place`]s.
    pub(crate) operators: BTreeMap<Arc<str>, Residents>,
    /// The catalogs.
    pub(crate) catalogs: BTreeMap<Key, Arc<Asked>>,
    /// The reasons why existing objects may be hidden.
    pub(crate) unseen: Unseen,
    /// The facts that all of that was judged by; empty where they are not to be kept.
    pub(crate) grounds: Grounds,
}

/// The operators of one namespace.
pub(crate) type Residents = Arc<[Arc<Operator>]>;

/// A catalog as judged, and what came of asking its registry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) catalog: Catalog,
    pub(crate) probed: Probed,
}

/// The reasons why objects are unknown, if they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Unseen {
    /// Operators that no Subscription asks for.
    pub(crate) csvs: Option<String>,
    /// Operators that a Subscription asks for.
    pub(crate) subscriptions: Option<String>,
    /// Operators of InstallPlans.
    pub(crate) plans: Option<String>,
    /// Operators of kinds without a namespace.
    pub(crate) cluster_scoped: Vec<String>,
    /// Catalogs.
    pub(crate) catalogs: Option<String>,
}

// === impl Unseen ===

impl Unseen {
    /// Returns the reasons why there may be operators of OLM v0 that cannot be listed.
    pub(crate) fn olm(&self) -> impl Iterator<Item = &String> {
        self.subscriptions.iter().chain(&self.csvs)
    }

    /// Returns the reasons why there may be operators that cannot be listed, in a namespace or in
    /// all. Kinds without a namespace do not affect a namespace.
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
    /// The operators of a namespace, or of all, in order of their [`place`]s.
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

    /// The catalogs of a namespace, or of all, in order of their names.
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
    /// Returns true if both are equal, except for details, times and resource versions.
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

/// Returns the place of an operator in the order of all: by namespace, name, kind.
pub(crate) fn place(subject: &Object) -> (&str, &str, Kind) {
    (&subject.namespace, &subject.name, subject.kind)
}
