//! Bundles, with their requirements and the data that is only displayed.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use portolan_core_names::{BundleName, PackageName, Release, Version, VersionRange};

use crate::{CatalogPlace, Constraint, Requirement};

/// A bundle: one version of a package that can be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The name. The version never comes from the name.
    pub name: BundleName,
    pub version: Version,
    /// The release of the bundle, if its author specifies a release. If the bundle substitutes
    /// another bundle, the build metadata of its version is the release.
    pub release: Option<Release>,
    /// The image that contains the manifests. None if the catalog contains the manifests.
    pub image: Option<Box<str>>,
    /// True if the catalog contains the manifests of the bundle.
    pub has_objects: bool,
    pub related_images: Vec<RelatedImage>,
    pub provides: BTreeSet<Api>,
    pub requires: Requirements,
    /// The highest OpenShift version that the bundle supports, such as `4.14`.
    pub max_openshift_version: Option<Arc<str>>,
    /// True if the bundle has the property `olm.deprecated`, with which OLM never installs the
    /// bundle. In contrast, `olm.deprecations` documents are only advice.
    pub is_prohibited: bool,
    /// The properties without a field of their own, sorted. CEL rules of other bundles may read
    /// them. Manifests and displayed data are not included.
    pub properties: Box<[Property]>,
    pub display: Display,
    /// The position of the `olm.bundle` document, which contains the manifests.
    pub place: CatalogPlace,
}

/// An API: a kind in a version of a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Api {
    /// The group. Empty for the core group of Kubernetes.
    pub group: Arc<str>,
    pub version: Arc<str>,
    pub kind: Arc<str>,
}

/// The requirements of a bundle on other bundles in its cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requirements {
    pub apis: BTreeSet<Api>,
    /// The required packages, sorted.
    pub packages: Vec<PackageRequirement>,
    /// The constraints, sorted by their text.
    pub constraints: Vec<Arc<Constraint>>,
}

/// A property of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Property {
    /// The type of the property, such as `olm.gvk`.
    pub kind: Arc<str>,
    /// The value as canonical JSON: keys are sorted, and there are no blanks.
    pub value: Box<str>,
}

/// A required package, with a range of versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageRequirement {
    pub package: PackageName,
    /// The range as the author wrote it.
    pub text: Arc<str>,
    /// The parsed range. None if the text is not a valid range, or if OLM rejects it. In this case,
    /// no version satisfies the requirement.
    pub range: Option<VersionRange>,
}

/// An image that the bundle runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelatedImage {
    /// The name of the image. Often empty.
    pub name: Arc<str>,
    /// The reference of the image. May be empty.
    pub image: Arc<str>,
}

/// The data of a bundle that is only displayed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Display {
    pub name: Option<Arc<str>>,
    /// The install modes that the bundle supports, sorted.
    pub install_modes: Vec<InstallMode>,
    /// The minimum Kubernetes version, as the author wrote it.
    pub min_kube_version: Option<Arc<str>>,
}

/// An install mode, and whether the bundle supports it.
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
    /// Returns each requirement, in a fixed order: packages, then APIs, then constraints, each
    /// group sorted.
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

    /// Returns the requirements in `self` that are missing in `other`.
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
    /// Returns a bundle with only a name and a position. All other fields have default values.
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
