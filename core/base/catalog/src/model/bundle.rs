//! Bundles, with their requirements and their displayed data.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use portolan_core_names::{BundleName, PackageName, Release, Version, VersionRange};

use crate::{CatalogPlace, Constraint, Requirement};

/// One installable version of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The name. The version is never derived from the name.
    pub name: BundleName,
    pub version: Version,
    /// The release of the version, if the author specifies one. If the bundle substitutes another
    /// bundle, the release is the build metadata of its version.
    pub release: Option<Release>,
    /// The image from which the bundle is installed. None if the catalog contains its manifests.
    pub image: Option<Box<str>>,
    /// True if the catalog contains its manifests.
    pub has_objects: bool,
    pub related_images: Vec<RelatedImage>,
    pub provides: BTreeSet<Api>,
    pub requires: Requirements,
    /// The last OpenShift version that the bundle supports, such as `4.14`.
    pub max_openshift_version: Option<Arc<str>>,
    /// True if the bundle has the property `olm.deprecated`, which forbids its installation. A
    /// deprecation, in contrast, is only advice.
    pub is_prohibited: bool,
    /// The other properties, sorted. Rules of other bundles may read them. Manifests and displayed
    /// data are not included.
    pub properties: Box<[Property]>,
    pub display: Display,
    /// The position of the `olm.bundle` document, which contains the manifests.
    pub place: CatalogPlace,
}

/// An API of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Api {
    /// The group. Empty for the core group of Kubernetes.
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

/// A required package, with the range of accepted versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageRequirement {
    pub package: PackageName,
    /// The versions, as written by the author.
    pub text: Arc<str>,
    /// The versions. None if the text is not a valid range or OLM rejects it. In this case no
    /// version meets the requirement.
    pub range: Option<VersionRange>,
}

/// An image that the bundle runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelatedImage {
    /// The name. It is often empty.
    pub name: Arc<str>,
    /// The reference of the image. May be empty.
    pub image: Arc<str>,
}

/// The displayed data of a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Display {
    pub name: Option<Arc<str>>,
    /// The install modes that the bundle supports, sorted.
    pub install_modes: Vec<InstallMode>,
    /// The minimum Kubernetes version, as written by the author.
    pub min_kube_version: Option<Arc<str>>,
}

/// An install mode.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstallMode {
    /// The name, such as `AllNamespaces`. Some authors misspell it.
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
    /// Returns the requirements as separate items in a fixed order: packages, then APIs, then
    /// constraints, each group sorted.
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

    /// Returns the requirements of `self` that are not in `other`.
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
    /// Returns a bundle that has only a name and a position.
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
