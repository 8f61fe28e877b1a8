//! Finds requirements that no bundle satisfies.
//!
//! Each requirement is checked separately, because only a solver can decide if bundles can satisfy
//! several requirements together. If a cluster installs operators only from these catalogs, the
//! returned requirements can never be satisfied.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use portolan_core_names::{BundleName, CatalogName, PackageName, Version, VersionRange, codes_of};

use crate::fault::Severity;
use crate::model::{Api, Bundle, Catalog, Package, PackageRequirement};
use crate::{Candidate, Constraint, Requirement};

/// A requirement that no bundle of any catalog satisfies, with the bundles that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    pub catalog: CatalogName,
    pub package: PackageName,
    pub need: Need,
    /// The bundles of the package that have the requirement, newest first. Never empty.
    pub bundles: Vec<BundleName>,
}

/// The unmet requirement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// A package that no catalog contains.
    Package(PackageName),
    /// A range of versions of a package. No catalog contains a version in this range.
    Version {
        package: PackageName,
        /// The range as the author wrote it. It may be invalid.
        text: Arc<str>,
    },
    Api(Api),
    /// A constraint that no single bundle satisfies.
    Constraint(Arc<Constraint>),
}

/// Returns the requirements that no bundle of any catalog satisfies, sorted by catalog, package and
/// requirement. Bundles of one package with the same requirement share one entry.
pub fn unmet<'a>(catalogs: impl IntoIterator<Item = (&'a CatalogName, &'a Catalog)>) -> Vec<Unmet> {
    let catalogs: Vec<_> = catalogs.into_iter().collect();
    let offers = Offers::of(catalogs.iter().map(|(_, catalog)| *catalog));
    let packages = catalogs.iter().flat_map(|(name, catalog)| {
        let packages = catalog.packages.values();
        packages.map(move |package| (*name, package.as_ref()))
    });
    packages
        .flat_map(|(catalog, package)| unmet_of(catalog, package, &offers))
        .collect()
}

fn unmet_of(catalog: &CatalogName, package: &Package, offers: &Offers<'_>) -> Vec<Unmet> {
    let mut lacking: BTreeMap<Need, Vec<&Bundle>> = BTreeMap::new();
    for bundle in package.bundles.values() {
        for need in needs(bundle, offers) {
            lacking.entry(need).or_default().push(bundle);
        }
    }
    let unmet = lacking.into_iter().map(|(need, mut bundles)| {
        // The sort is stable, so bundles with equal versions keep the order of their names.
        bundles.sort_by(|left, right| {
            let rank = |bundle: &Bundle| (bundle.version.clone(), bundle.release.clone());
            rank(right).cmp(&rank(left))
        });
        Unmet {
            catalog: catalog.clone(),
            package: package.name.clone(),
            need,
            bundles: bundles.iter().map(|bundle| bundle.name.clone()).collect(),
        }
    });
    unmet.collect()
}

/// Returns the requirements of a bundle that no bundle satisfies, without duplicates.
fn needs(bundle: &Bundle, offers: &Offers<'_>) -> BTreeSet<Need> {
    let need = |requirement| match requirement {
        Requirement::Package(requirement) => package_need(requirement, offers),
        Requirement::Api(api) => (!offers.has_api(api)).then(|| Need::Api(api.clone())),
        Requirement::Constraint(constraint) => {
            (!offers.fulfill(constraint)).then(|| Need::Constraint(Arc::clone(constraint)))
        }
    };
    bundle.requires.each().filter_map(need).collect()
}

fn package_need(requirement: &PackageRequirement, offers: &Offers<'_>) -> Option<Need> {
    let PackageRequirement {
        package,
        text,
        range,
    } = requirement;
    if !offers.has_package(package) {
        return Some(Need::Package(package.clone()));
    }
    let is_met = range
        .as_ref()
        .is_some_and(|range| offers.has_version(package, range));
    (!is_met).then(|| Need::Version {
        package: package.clone(),
        text: Arc::clone(text),
    })
}

codes_of! { Unmet;
    Self { need: Need::Package(_), .. } => UnmetPackage: "A bundle requires a package that no catalog has.",
    Self { need: Need::Version { .. }, .. } => UnmetVersion: "A bundle requires a version of a package that no catalog has.",
    Self { need: Need::Api(_), .. } => UnmetApi: "A bundle requires an API that no bundle of any catalog provides.",
    Self { need: Need::Constraint(_), .. } => UnmetConstraint: "No bundle of any catalog satisfies a constraint of a bundle.",
}

// === impl Unmet ===

impl Unmet {
    /// Returns [`Severity::Warning`], not an error: opm serves the catalog, and other catalogs of a
    /// cluster may satisfy the requirement.
    pub fn severity(&self) -> Severity {
        Severity::Warning
    }
}

/// Formats the entry on one line, with the number of bundles and the newest bundle.
impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            catalog: _,
            package,
            need,
            bundles,
        } = self;
        write!(f, "package {package} requires {need}: ")?;
        match bundles.as_slice() {
            [] => f.write_str("no bundle"),
            [only] => write!(f, "{only}"),
            [newest, others @ ..] => write!(f, "{newest} and {} more", others.len()),
        }
    }
}

// === impl Need ===

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package(package) => write!(f, "package {package}, which does not exist"),
            Self::Version { package, text } => {
                write!(
                    f,
                    "package {package} {text:?}, and no version of it is in this range"
                )
            }
            Self::Api(api) => write!(f, "API {api}, which no bundle provides"),
            Self::Constraint(constraint) => {
                write!(f, "{constraint}, which no bundle satisfies")
            }
        }
    }
}

/// The content of all catalogs: the versions of each package, the APIs, and the constraints that no
/// bundle satisfies.
#[derive(Debug, Default)]
struct Offers<'a> {
    versions: BTreeMap<&'a PackageName, Vec<&'a Version>>,
    apis: BTreeSet<&'a Api>,
    unfulfilled: BTreeSet<&'a Constraint>,
}

/// The maximum number of steps to check the constraints of all catalogs, which takes at most ten
/// seconds. Real catalogs have a single constraint. Even thousands of simple constraints, on
/// packages and APIs, need much fewer steps.
const PATIENCE: u64 = 200_000_000;

/// Returns the constraints that no candidate satisfies. Checks each constraint only once, because
/// the bundles of a package often have the same constraints. Checks fast constraints first. When
/// the maximum number of steps is reached, the remaining constraints count as satisfied.
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
    fn of(catalogs: impl Iterator<Item = &'a Catalog>) -> Self {
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

    fn has_package(&self, name: &PackageName) -> bool {
        self.versions.contains_key(name)
    }

    fn has_version(&self, name: &PackageName, range: &VersionRange) -> bool {
        let mut versions = self.versions.get(name).into_iter().flatten();
        versions.any(|version| range.matches(version))
    }

    fn has_api(&self, api: &Api) -> bool {
        self.apis.contains(api)
    }

    fn fulfill(&self, constraint: &Constraint) -> bool {
        !self.unfulfilled.contains(constraint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Properties;

    #[test]
    fn fast_constraints_are_checked_before_slow_constraints() {
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
