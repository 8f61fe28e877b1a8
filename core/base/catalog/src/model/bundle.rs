//! Bundles, and what they need and show.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use portolan_core_names::{BundleName, PackageName, Release, Version, VersionRange};

use crate::{CatalogPlace, Constraint, Requirement};

/// One installable version of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// Its name; versions are never read out of it.
    pub name: BundleName,
    pub version: Version,
    /// The release of the version, if its author sets one. A bundle that substitutes another one
    /// has the build metadata of its version as release.
    pub release: Option<Release>,
    /// The image that it is installed from; None if its manifests stand in the catalog.
    pub image: Option<Box<str>>,
    /// True if the catalog contains its manifests.
    pub has_objects: bool,
    pub related_images: Vec<RelatedImage>,
    pub provides: BTreeSet<Api>,
    pub requires: Requirements,
    /// The last OpenShift that it runs on, such as `4.14`.
    pub max_openshift_version: Option<Arc<str>>,
    /// True if it has the property `olm.deprecated`, which forbids to install it. Different from a
    /// deprecation, which is advice.
    pub is_prohibited: bool,
    /// Its further properties, sorted: rules of other bundles may ask for it. Manifests and what
    /// people see are not among it.
    pub properties: Box<[Property]>,
    pub display: Display,
    /// The place of its `olm.bundle`, which has its manifests.
    pub place: CatalogPlace,
}

/// An API of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Api {
    /// Its group; empty for the core of Kubernetes.
    pub group: Arc<str>,
    pub version: Arc<str>,
    pub kind: Arc<str>,
}

/// The requirements of a bundle on its cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requirements {
    pub apis: BTreeSet<Api>,
    /// Packages, sorted.
    pub packages: Vec<PackageRequirement>,
    /// Constraints, sorted by their text.
    pub constraints: Vec<Arc<Constraint>>,
}

/// A property of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Property {
    /// The type.
    pub kind: Arc<str>,
    /// The value as canonical JSON: keys sorted, no blanks.
    pub value: Box<str>,
}

/// A package that must be installed in one of some versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageRequirement {
    pub package: PackageName,
    /// The versions in the words of the author.
    pub text: Arc<str>,
    /// The versions; None if the words are no range, or OLM refuses it, and then no version will do.
    pub range: Option<VersionRange>,
}

/// An image that a bundle runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelatedImage {
    /// Often empty.
    pub name: Arc<str>,
    /// Its reference; sometimes empty.
    pub image: Arc<str>,
}

/// The part of a bundle that people see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Display {
    pub name: Option<Arc<str>>,
    /// The ways in which it can watch namespaces, sorted.
    pub install_modes: Vec<InstallMode>,
    /// The first Kubernetes that it runs on, as its author wrote it.
    pub min_kube_version: Option<Arc<str>>,
}

/// A way of watching namespaces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstallMode {
    /// Such as `AllNamespaces`. Authors misspell it.
    pub name: Arc<str>,
    pub is_supported: bool,
}

// === impl Api ===

/// Formats the API on one line: `group/version/Kind`, without the group for the core group.
impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            group,
            version,
            kind,
        } = self;
        if !group.is_empty() {
            write!(f, "{}/", group.escape_debug())?;
        }
        write!(f, "{}/{}", version.escape_debug(), kind.escape_debug())
    }
}

// === impl Requirements ===

impl Requirements {
    /// Each alone, in a fixed order: packages, then APIs, then constraints, each sorted.
    pub fn each(&self) -> impl Iterator<Item = Requirement<'_>> {
        let Self {
            apis,
            packages,
            constraints,
        } = self;
        let packages = packages.iter().map(Requirement::Package);
        let apis = apis.iter().map(Requirement::Api);
        let constraints = constraints.iter().map(Requirement::Constraint);
        packages.chain(apis).chain(constraints)
    }

    /// Returns the requirements that are missing here.
    #[must_use]
    pub fn beyond(&self, other: &Self) -> Self {
        let Self {
            apis,
            packages,
            constraints,
        } = self;
        let packages = packages
            .iter()
            .filter(|item| !other.packages.contains(item));
        let constraints = constraints
            .iter()
            .filter(|item| !other.constraints.contains(item));
        Self {
            apis: apis.difference(&other.apis).cloned().collect(),
            packages: packages.cloned().collect(),
            constraints: constraints.cloned().collect(),
        }
    }
}

// === impl Bundle ===

impl Bundle {
    /// Returns a bundle with only its name and place.
    pub(crate) fn bare(name: BundleName, place: CatalogPlace) -> Self {
        Self {
            name,
            version: Version::new(0, 0, 0),
            release: None,
            image: None,
            has_objects: false,
            related_images: Vec::new(),
            provides: BTreeSet::new(),
            requires: Requirements::default(),
            max_openshift_version: None,
            is_prohibited: false,
            properties: Box::default(),
            display: Display::default(),
            place,
        }
    }
}
