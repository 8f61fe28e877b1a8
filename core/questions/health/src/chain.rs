//! Finds the ClusterServiceVersions of one operator, which form a chain. Each ClusterServiceVersion
//! in a chain replaces the next older one.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_olm::Subscription;

use crate::{Csv, CsvPhase, Item};

/// The ClusterServiceVersions of one operator, newest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chain<'a> {
    csvs: Vec<&'a Csv>,
}

/// The ClusterServiceVersions of a namespace, with the links between them by `replaces`.
#[derive(Debug)]
pub(crate) struct Links<'a> {
    by_name: BTreeMap<&'a str, &'a Csv>,
    successors: BTreeMap<&'a str, Vec<&'a str>>,
}

// === impl Chain ===

impl<'a> Chain<'a> {
    /// Returns the newest ClusterServiceVersion. Returns None for an empty chain.
    pub(crate) fn newest(&self) -> Option<&'a Csv> {
        self.csvs.first().copied()
    }

    /// Returns all ClusterServiceVersions except the newest.
    pub(crate) fn older(&self) -> &[&'a Csv] {
        self.csvs.get(1..).unwrap_or_default()
    }

    /// Returns all ClusterServiceVersions, newest first.
    pub(crate) fn all(&self) -> &[&'a Csv] {
        &self.csvs
    }

    /// Returns true if the chain contains a ClusterServiceVersion with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.csvs.iter().any(|csv| csv.name() == name)
    }

    /// Returns the newest ClusterServiceVersion that OLM has begun to install. The running
    /// workloads belong to it, and its CustomResourceDefinitions must exist. Returns None if OLM
    /// has not begun to install any of the chain.
    pub(crate) fn bearer(&self) -> Option<&'a Csv> {
        self.csvs.iter().copied().find(|csv| csv.has_begun())
    }

    /// Returns true if `csv` is the newest ClusterServiceVersion of the chain.
    pub(crate) fn is_newest(&self, csv: &Csv) -> bool {
        is_same(self.newest(), csv)
    }

    /// Returns true if `csv` is the newest ClusterServiceVersion that OLM has begun to install.
    pub(crate) fn is_bearer(&self, csv: &Csv) -> bool {
        is_same(self.bearer(), csv)
    }

    /// Returns the ClusterServiceVersion of the chain that replaces `csv`. Returns None if none
    /// replaces it.
    pub(crate) fn successor_of(&self, csv: &Csv) -> Option<&'a Csv> {
        let mut others = self.csvs.iter().copied();
        others.find(|other| other.spec.replaces == csv.name() && other.name() != csv.name())
    }
}

/// Compares ClusterServiceVersions by name, because a chain contains each name only once.
fn is_same(one: Option<&Csv>, other: &Csv) -> bool {
    one.is_some_and(|one| one.name() == other.name())
}

// === impl Links ===

impl<'a> Links<'a> {
    /// Links ClusterServiceVersions by their `replaces` fields.
    pub(crate) fn among(csvs: &[&'a Csv]) -> Self {
        let mut by_name = BTreeMap::new();
        let mut successors: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for csv in csvs {
            by_name.entry(csv.name()).or_insert(*csv);
        }
        for csv in by_name.values().filter(|csv| !csv.spec.replaces.is_empty()) {
            successors
                .entry(&csv.spec.replaces)
                .or_default()
                .push(csv.name());
        }
        Self {
            by_name,
            successors,
        }
    }

    /// Returns the chain of the ClusterServiceVersions that a Subscription names.
    pub(crate) fn chain_of(&self, subscription: &'a Item<Subscription>) -> Chain<'a> {
        let current = subscription.status.current_csv.as_str();
        let installed = subscription.status.installed_csv.as_str();
        self.chain(&[current, installed])
    }

    /// Returns the chain that contains one of these names. If `replaces` does not determine the
    /// newest ClusterServiceVersion, the first of these names counts as the newest.
    pub(crate) fn chain(&self, names: &[&'a str]) -> Chain<'a> {
        let linked = self.linked(names);
        let mut left = linked.clone();
        let mut csvs = Vec::new();
        let mut next = newest(&linked, names);
        while let Some(csv) = next.and_then(|name| left.remove(name)) {
            csvs.push(csv);
            next = Some(csv.spec.replaces.as_str());
            if !left.contains_key(csv.spec.replaces.as_str()) {
                next = newest(&left, names);
            }
        }
        Chain { csvs }
    }

    /// Returns all ClusterServiceVersions that `replaces` connects with one of the names, directly
    /// or indirectly.
    fn linked(&self, names: &[&'a str]) -> BTreeMap<&'a str, &'a Csv> {
        let mut linked = BTreeMap::new();
        let mut open: Vec<&str> = names.to_vec();
        while let Some(name) = open.pop() {
            let Some(csv) = self.by_name.get(name).filter(|_| !name.is_empty()) else {
                continue;
            };
            if linked.insert(csv.name(), *csv).is_none() {
                open.push(&csv.spec.replaces);
                open.extend(self.successors.get(name).into_iter().flatten());
            }
        }
        linked
    }
}

/// Returns the ClusterServiceVersion that no other one replaces. If several such candidates exist,
/// returns the candidate that is first in `names`. If all replace each other in a cycle, all are
/// candidates. If no name is a candidate, returns the last candidate by name.
fn newest<'a>(csvs: &BTreeMap<&'a str, &'a Csv>, names: &[&'a str]) -> Option<&'a str> {
    let replaced: BTreeSet<&str> = csvs
        .values()
        .filter(|csv| csv.spec.replaces != csv.name())
        .map(|csv| csv.spec.replaces.as_str())
        .collect();
    let heads: Vec<&str> = csvs
        .keys()
        .copied()
        .filter(|name| !replaced.contains(name))
        .collect();
    let candidates = if heads.is_empty() {
        csvs.keys().copied().collect()
    } else {
        heads
    };
    let named = names.iter().find(|name| candidates.contains(name));
    named.or(candidates.last()).copied()
}

impl Csv {
    /// Returns true if OLM has ever begun to install this ClusterServiceVersion.
    pub(crate) fn has_begun(&self) -> bool {
        match self.status.phase {
            CsvPhase::Installing
            | CsvPhase::Succeeded
            | CsvPhase::Replacing
            | CsvPhase::Deleting => true,
            CsvPhase::Failed => !BEFORE_INSTALLING.contains(&self.status.reason.as_str()),
            CsvPhase::Pending | CsvPhase::InstallReady => false,
            CsvPhase::Unknown | CsvPhase::Other(_) => false,
        }
    }
}

/// The failure reasons that OLM uses before it creates any workload of an operator.
const BEFORE_INSTALLING: &[&str] = &[
    "CannotModifyStaticOperatorGroupProvidedAPIs",
    "InterOperatorGroupOwnerConflict",
    "InvalidInstallModes",
    "InvalidInstallStrategy",
    "InvalidWebhookDescription",
    "NoOperatorGroup",
    "NoTargetNamespaces",
    "OwnerConflict",
    "TooManyOperatorGroups",
    "UnsupportedOperatorGroup",
];
