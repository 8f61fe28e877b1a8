//! Requirements that nothing fulfills.
//!
//! Whether several requirements can be fulfilled together is a question for a solver. Here each is
//! looked at alone: no cluster that installs from these catalogs only can ever fulfill it.

mod offers;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use portolan_core_names::{BundleName, CatalogName, PackageName};

use self::offers::Offers;
use crate::fault::Severity;
use crate::model::{Api, Bundle, Catalog, Package, PackageRequirement};
use crate::{Constraint, Requirement};

/// A requirement of a package that no bundle of any catalog fulfills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// The catalog of the package.
    pub catalog: CatalogName,
    /// The package.
    pub package: PackageName,
    /// What it lacks.
    pub need: Need,
    /// Its bundles that require it, the newest first; never empty.
    pub bundles: Vec<BundleName>,
}

/// What is lacking.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// A package, in any version.
    Package(PackageName),
    /// A version of a package that is there.
    Version {
        /// The package.
        package: PackageName,
        /// The versions in the words of the author, which need not be a range.
        text: Arc<str>,
    },
    /// An API.
    Api(Api),
    /// A constraint that no bundle fulfills whole.
    Constraint(Arc<Constraint>),
}

/// Finds the requirements that nothing in any of the catalogs fulfills: by catalog, then package,
/// then need, and one for all bundles of a package that have it.
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
        // A stable sort: equal versions stay in the order of their names.
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

/// What one bundle lacks, each need once.
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

// === impl Unmet ===

impl Unmet {
    /// opm serves such a catalog, and other catalogs of a cluster may have what is lacking.
    pub fn severity(&self) -> Severity {
        Severity::Warning
    }

    /// The stable name, for programs.
    pub fn code(&self) -> &'static str {
        match self.need {
            Need::Package(_) => "UnmetPackage",
            Need::Version { .. } => "UnmetVersion",
            Need::Api(_) => "UnmetApi",
            Need::Constraint(_) => "UnmetConstraint",
        }
    }
}

/// One line; the bundles are counted, and the newest is named.
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
            Self::Package(package) => write!(f, "package {package}, which is not there"),
            Self::Version { package, text } => {
                write!(
                    f,
                    "package {package} {text:?}, and no version of it will do"
                )
            }
            Self::Api(api) => write!(f, "API {api}, which no bundle provides"),
            Self::Constraint(constraint) => {
                write!(f, "{constraint}, which no bundle fulfills")
            }
        }
    }
}
