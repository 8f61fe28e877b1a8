//! All Operators that are installed from catalogs, with what else a cluster has.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Bundle, Record, Source};

/// All Operators that are installed from catalogs, with what else a cluster has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fleet {
    /// By name.
    pub members: BTreeMap<String, Member>,
    /// The operators that OLM has installed.
    pub present: BTreeSet<Resident>,
    /// The packages that Subscriptions follow.
    pub subscribed: BTreeSet<String>,
}

/// An Operator that is installed from a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Member {
    pub source: Source,
    pub is_deleting: bool,
    /// None as long as there is no Install.
    pub held: Option<Held>,
}

/// An Install, as far as it says what an Operator has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    /// None if nobody knows which bundles its content is.
    pub record: Option<Record>,
    /// Whether all of that content is installed.
    pub is_settled: bool,
}

/// An operator that is there.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resident {
    /// Empty if nobody knows.
    pub package: String,
    /// The name of its bundle.
    pub name: String,
    pub version: String,
    /// The facts about what it provides and requires; None stands for what catalogs say of the
    /// bundle.
    pub facts: Option<ResidentFacts>,
}

/// The facts about what an operator provides and requires. An API is its group, version and kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResidentFacts {
    pub provides: BTreeSet<[String; 3]>,
    pub requires: BTreeSet<[String; 3]>,
    /// The packages that it requires, each with the versions that will do.
    pub packages: BTreeSet<(String, String)>,
}

// === impl Fleet ===

impl Fleet {
    /// The members that have something, each with that.
    pub(crate) fn holding(&self) -> impl Iterator<Item = (&str, &Member, &Record)> {
        let members = self.members.iter();
        members.filter_map(|(name, member)| Some((&**name, member, member.record()?)))
    }

    /// All that is there but for what one member has.
    pub(crate) fn residents_beside(&self, operator: &str) -> BTreeSet<Resident> {
        let others = self.holding().filter(|(name, ..)| *name != operator);
        let held = others.flat_map(|(_, _, record)| record.bundles.iter().map(Resident::of));
        self.present.iter().cloned().chain(held).collect()
    }

    /// The other member that has a package, or is to have it.
    pub(crate) fn taker(&self, operator: &str, package: &str) -> Option<&str> {
        let others = || self.members.iter().filter(|(name, _)| *name != operator);
        let has = |member: &Member| {
            let bundles = member.record().map(|it| &it.bundles);
            bundles
                .into_iter()
                .flatten()
                .any(|it| it.package == package)
        };
        let holder = others().find(|(_, member)| has(member));
        // Of several that have nothing yet the first gets it.
        let earlier = || {
            let mut earlier = others().take_while(|(name, _)| &***name < operator);
            earlier.find(|(_, it)| it.held.is_none() && it.source.package == package)
        };
        let (name, _) = holder.or_else(earlier)?;
        Some(name)
    }
}

// === impl Member ===

impl Member {
    /// The record of what it has, where it is known.
    pub(crate) fn record(&self) -> Option<&Record> {
        self.held.as_ref()?.record.as_ref()
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.held.as_ref().is_none_or(|held| held.is_settled)
    }

    /// Whether what it has is what its author wants, be it in an earlier version.
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
