//! What some catalogs have for those who require it.

use std::collections::{BTreeMap, BTreeSet};

use portolan_names::{PackageName, Version, VersionRange};

use crate::model::{Api, Catalog};
use crate::{Candidate, Constraint};

/// The versions of every package, every API, and the constraints that nothing fulfills.
#[derive(Debug, Default)]
pub(super) struct Offers<'a> {
    versions: BTreeMap<&'a PackageName, Vec<&'a Version>>,
    apis: BTreeSet<&'a Api>,
    unfulfilled: BTreeSet<&'a Constraint>,
}

// === impl Offers ===

impl<'a> Offers<'a> {
    pub(super) fn of(catalogs: impl Iterator<Item = &'a Catalog>) -> Self {
        let mut offers = Self::default();
        let mut candidates = Vec::new();
        for package in catalogs.flat_map(|catalog| catalog.packages.values()) {
            let versions = offers.versions.entry(&package.name).or_default();
            for bundle in package.bundles.values() {
                versions.push(&bundle.version);
                offers.apis.extend(&bundle.provides);
                let constraints = bundle.requires.constraints.iter();
                offers.unfulfilled.extend(constraints.map(AsRef::as_ref));
                candidates.push(Candidate::of(&package.name, bundle));
            }
        }
        // Bundles of one package share their constraints, so each is held against all once.
        offers.unfulfilled.retain(|constraint| {
            !candidates
                .iter()
                .any(|candidate| constraint.is_met_by(candidate))
        });
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
