//! The Operators that are installed from catalogs, and the other operators in the cluster.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Bundle, Record, Source};

/// The Operators that are installed from catalogs, and the other operators in the cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorFleet {
    /// The Operators by name.
    pub members: BTreeMap<String, FleetOperator>,
    /// The operators that OLM has installed.
    pub present: BTreeSet<Resident>,
    /// The packages that Subscriptions name.
    pub subscribed: BTreeSet<String>,
}

/// An Operator that is installed from a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetOperator {
    pub source: Source,
    pub is_deleting: bool,
    /// The content of the Install. None if the Operator has no Install yet.
    pub held: Option<Held>,
}

/// The information in an Install about the bundles of its Operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    /// The bundles of the Install. None if they are unknown.
    pub record: Option<Record>,
    /// True if all objects of the current content are installed.
    pub is_settled: bool,
}

/// An installed operator in the cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resident {
    /// The package. Empty if it is unknown.
    pub package: String,
    /// The name of the bundle of the operator.
    pub name: String,
    pub version: String,
    /// The APIs and packages that the operator provides and requires. None if the catalogs must
    /// look them up.
    pub facts: Option<ResidentFacts>,
}

/// The APIs that an operator provides and requires. An API consists of a group, a version and a
/// kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResidentFacts {
    pub provides: BTreeSet<[String; 3]>,
    pub requires: BTreeSet<[String; 3]>,
    /// The packages that the operator requires. Each has the range of versions that it accepts.
    pub packages: BTreeSet<(String, String)>,
}

// === impl OperatorFleet ===

impl OperatorFleet {
    /// Returns the members whose bundles are known, each with the record of its bundles.
    pub(crate) fn holding(&self) -> impl Iterator<Item = (&str, &FleetOperator, &Record)> {
        let members = self.members.iter();
        members.filter_map(|(name, member)| Some((&**name, member, member.record()?)))
    }

    /// Returns all operators in the cluster, except those that this member has installed.
    pub(crate) fn residents_beside(&self, operator: &str) -> BTreeSet<Resident> {
        let others = self.holding().filter(|(name, ..)| *name != operator);
        let held = others.flat_map(|(_, _, record)| record.bundles.iter().map(Resident::of));
        self.present.iter().cloned().chain(held).collect()
    }

    /// Returns the other member that has installed the package, or that will install it. Returns
    /// None if there is no such member.
    pub(crate) fn taker(&self, operator: &str, package: &str) -> Option<&str> {
        let others = || self.members.iter().filter(|(name, _)| *name != operator);
        let has = |member: &FleetOperator| {
            let bundles = member.record().map(|it| &it.bundles);
            bundles
                .into_iter()
                .flatten()
                .any(|it| it.package == package)
        };
        let holder = others().find(|(_, member)| has(member));
        // If several members without an Install want the package, the first of them by name gets
        // it.
        let earlier = || {
            let mut earlier = others().take_while(|(name, _)| &***name < operator);
            earlier.find(|(_, it)| it.held.is_none() && it.source.package == package)
        };
        let (name, _) = holder.or_else(earlier)?;
        Some(name)
    }
}

// === impl FleetOperator ===

impl FleetOperator {
    /// Returns the record of the bundles, if it is known.
    pub(crate) fn record(&self) -> Option<&Record> {
        self.held.as_ref()?.record.as_ref()
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.held.as_ref().is_none_or(|held| held.is_settled)
    }

    /// Returns true if the spec of the Operator selects this bundle, or another version of its
    /// package, as the first bundle.
    pub(crate) fn fits(&self, first: &Bundle) -> bool {
        self.source.names(first)
    }
}

// === impl Resident ===

impl Resident {
    pub(crate) fn of(bundle: &Bundle) -> Self {
        Self {
            package: bundle.package.clone(),
            name: bundle.name.clone(),
            version: bundle.version.clone(),
            facts: None,
        }
    }
}
