//! What some catalogs have for those who require it.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::{PackageName, Version, VersionRange};

use crate::model::{Api, Catalog};
use crate::{Candidate, Constraint};

/// The versions of every package, every API, and the constraints that nothing fulfills.
#[derive(Debug, Default)]
pub(super) struct Offers<'a> {
    versions: BTreeMap<&'a PackageName, Vec<&'a Version>>,
    apis: BTreeSet<&'a Api>,
    unfulfilled: BTreeSet<&'a Constraint>,
}

/// The most steps for the constraints of all catalogs together: at most ten seconds. Real catalogs
/// have a single constraint, and thousands that ask for packages and APIs are far below.
const PATIENCE: u64 = 200_000_000;

/// The constraints that none of the candidates fulfills. Bundles of one package share theirs, so
/// each is held against all once, the quick ones first; where patience ends, they are left open.
fn unfulfilled<'a>(
    stated: BTreeSet<&'a Constraint>,
    candidates: &[Candidate<'_>],
    mut patience: u64,
) -> BTreeSet<&'a Constraint> {
    let mut stated = Vec::from_iter(stated);
    stated.sort_by_key(|constraint| constraint.steps());
    let is_unfulfilled = |constraint: &&Constraint| {
        candidates.iter().all(|candidate| {
            patience = patience.saturating_sub(constraint.steps());
            patience > 0 && !constraint.is_met_by(candidate)
        })
    };
    stated.into_iter().filter(is_unfulfilled).collect()
}

// === impl Offers ===

impl<'a> Offers<'a> {
    pub(super) fn of(catalogs: impl Iterator<Item = &'a Catalog>) -> Self {
        let mut offers = Self::default();
        let mut candidates = Vec::new();
        let mut stated = BTreeSet::new();
        for package in catalogs.flat_map(|catalog| catalog.packages.values()) {
            let versions = offers.versions.entry(&package.name).or_default();
            for bundle in package.bundles.values() {
                versions.push(&bundle.version);
                offers.apis.extend(&bundle.provides);
                stated.extend(bundle.requires.constraints.iter().map(AsRef::as_ref));
                candidates.push(Candidate::of(&package.name, bundle));
            }
        }
        offers.unfulfilled = unfulfilled(stated, &candidates, PATIENCE);
        offers
    }

    pub(super) fn has_package(&self, name: &PackageName) -> bool {
        self.versions.contains_key(name)
    }

    pub(super) fn has_version(&self, name: &PackageName, range: &VersionRange) -> bool {
        let mut versions = self.versions.get(name).into_iter().flatten();
        versions.any(|version| range.matches(version))
    }

    pub(super) fn has_api(&self, api: &Api) -> bool {
        self.apis.contains(api)
    }

    pub(super) fn fulfill(&self, constraint: &Constraint) -> bool {
        !self.unfulfilled.contains(constraint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Properties;

    #[test]
    fn patience_is_spent_on_quick_constraints_first() {
        let candidate = Candidate {
            package: None,
            version: None,
            provides: &BTreeSet::new(),
            properties: Properties::Listed(&[]),
        };
        let candidates = [candidate; 10];
        let slow = Constraint::parse(r#"{"cel": {"rule": "properties.exists(p, false)"}}"#);
        let quick = Constraint::parse(r#"{"gvk": {"kind": "Gone"}}"#);
        let found = |patience| unfulfilled(BTreeSet::from([&slow, &quick]), &candidates, patience);
        assert_eq!(found(0), BTreeSet::new());
        assert_eq!(found(100), BTreeSet::from([&quick]));
        assert_eq!(found(PATIENCE), BTreeSet::from([&slow, &quick]));
    }
}
