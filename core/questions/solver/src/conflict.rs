//! The reasons why requirements cannot be satisfied.

mod text;

use portolan_core_catalog::{Api, Fault};
use portolan_core_names::{BundleName, CatalogName, PackageName, Version};

use crate::{InstalledOperator, RequestedPackage, Requirement};

/// A set of causes that contradict each other, with the attempts that fail because of these causes.
///
/// If the set is minimal, every cause is necessary for the contradiction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The causes without duplicates. Requirements come first.
    pub causes: Vec<Cause>,
    /// True if every cause is known to be necessary. False if the search used up its budget before
    /// this was known.
    pub is_minimal: bool,
    /// The attempts, one for each requirement among the causes. The order is the order of the
    /// causes.
    pub attempts: Vec<Attempt>,
}

/// One cause of a Conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    Wish {
        /// The index of the requirement in the question.
        at: usize,
        wish: RequestedPackage,
        /// The reason why no bundle satisfies the requirement. None if some bundle satisfies it.
        lack: Option<Lack>,
    },
    /// Bundles of a package depend on the same API, constraint or package. Different bundles may
    /// require different versions.
    Requires {
        /// The package of the bundles. None for an installed bundle whose package is unknown.
        package: Option<PackageName>,
        /// The dependencies of the relevant bundles. The dependency of the best bundle comes first.
        /// Never empty.
        required: Vec<Required>,
        /// The reason why no bundle satisfies the dependency. None if some bundle satisfies it.
        lack: Option<Lack>,
    },
    /// An installed operator must be kept, because no requirement names its package.
    Stays(InstalledOperator),
    /// A cluster can have only one bundle of a package.
    OnePackage(PackageName),
    /// A cluster can have only one operator that provides an API.
    OneProvider(Api),
    /// The property `olm.deprecated` of some bundles of a package forbids their installation.
    Prohibited {
        package: PackageName,
        /// The bundles with the property, best first. Never empty.
        bundles: Vec<BundleName>,
    },
    /// A catalog cannot be read. It may contain a suitable bundle.
    Unread {
        catalog: CatalogName,
        /// The time since when the catalog cannot be read, and the reason, as a clause of a
        /// sentence.
        why: String,
        /// True if the search used older content of the catalog.
        is_stale: bool,
    },
}

/// A dependency, with the bundles that require it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Required {
    pub requirement: Requirement,
    /// The bundles that require the dependency, best first. Never empty.
    pub bundles: Vec<BundleName>,
}

/// The reason why the catalogs contain no suitable bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// The catalog that the requirement names does not exist.
    NoCatalog,
    NoPackage {
        /// A package with a similar name. None if no package has a similar name.
        near: Option<PackageName>,
        /// A catalog error that may hide the package. None if no such error exists.
        hidden_by: Option<Hiding>,
    },
    /// Only other catalogs contain the package, and not the catalog that the requirement names.
    Elsewhere {
        /// The best catalog that contains the package.
        catalog: CatalogName,
    },
    NoChannel,
    /// The package has no matching version.
    NoVersion {
        /// The highest available version.
        newest: Option<Version>,
    },
    /// Every matching version is a prerelease, and the requirement does not include prereleases.
    OnlyPrereleases {
        newest: BundleName,
    },
    /// No upgrade path leads from the installed bundle to a matching version.
    NoPath {
        installed: BundleName,
    },
    /// No bundle provides the API or satisfies the constraint.
    NoProvider,
}

/// A catalog error that may hide a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hiding {
    pub catalog: CatalogName,
    pub error: Fault,
}

/// A failed attempt to satisfy a requirement or a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The bundles that fail for the same reasons, best first. Empty for the attempt to satisfy a
    /// requirement of the question itself.
    pub bundles: Vec<BundleName>,
    /// The causes of the failure, as indexes of [`Conflict::causes`].
    pub causes: Vec<usize>,
    /// The failed attempts below this attempt. For bundles, these are the attempts to satisfy their
    /// dependencies. For a requirement, these are the attempts to use its candidates.
    pub attempts: Vec<Attempt>,
}

// === impl Cause ===

impl Cause {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Wish { lack, .. } => lack.as_ref().map_or("Wish", Lack::code),
            Self::Requires { lack, .. } => lack.as_ref().map_or("Requires", Lack::code),
            Self::Stays(_) => "Stays",
            Self::OnePackage(_) => "OnePackage",
            Self::OneProvider(_) => "OneProvider",
            Self::Prohibited { .. } => "Prohibited",
            Self::Unread { is_stale: true, .. } => "StaleCatalog",
            Self::Unread { .. } => "UnreadCatalog",
        }
    }
}

// === impl Lack ===

impl Lack {
    /// Returns the catalog error that may hide the package. Returns None if no such error exists.
    pub fn hidden_by(&self) -> Option<&Hiding> {
        match self {
            Self::NoPackage { hidden_by, .. } => hidden_by.as_ref(),
            Self::NoCatalog
            | Self::Elsewhere { .. }
            | Self::NoChannel
            | Self::NoVersion { .. }
            | Self::OnlyPrereleases { .. }
            | Self::NoPath { .. }
            | Self::NoProvider => None,
        }
    }

    pub fn code(&self) -> &'static str {
        match self {
            Self::NoCatalog => "NoCatalog",
            Self::NoPackage { .. } | Self::Elsewhere { .. } => "MissingPackage",
            Self::NoChannel => "NoChannel",
            Self::NoVersion { .. } => "NoVersionInRange",
            Self::OnlyPrereleases { .. } => "OnlyPrereleases",
            Self::NoPath { .. } => "NoPath",
            Self::NoProvider => "NoProvider",
        }
    }
}
