//! The reasons why requirements cannot be satisfied.

mod text;

use portolan_core_catalog::{Api, Fault};
use portolan_core_names::{BundleName, CatalogName, PackageName, Version};

use crate::{InstalledOperator, RequestedPackage, Requirement};

/// A set of causes that contradict each other, and the attempts that fail because of them.
///
/// If the set is minimal, the requirements become satisfiable without any one of the causes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The causes, requirements first, without duplicates.
    pub causes: Vec<Cause>,
    /// True if every cause is known to be necessary. False if the budget was exceeded before this
    /// was known.
    pub is_minimal: bool,
    /// One attempt for each requirement among the causes, in order.
    pub attempts: Vec<Attempt>,
}

/// One cause of a Conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    Wish {
        /// The index of the requirement in the question.
        at: usize,
        wish: RequestedPackage,
        /// The gap in the catalogs, if no bundle satisfies the requirement. None otherwise.
        lack: Option<Lack>,
    },
    /// The bundles of a package depend on an API, a constraint or a package. Each bundle may
    /// require other versions.
    Requires {
        /// The package. None for an installed bundle whose package is unknown.
        package: Option<PackageName>,
        /// The dependencies of the relevant bundles. The dependency of the best bundle comes first.
        /// Never empty.
        required: Vec<Required>,
        /// The gap in the catalogs, if no bundle satisfies the dependency. None otherwise.
        lack: Option<Lack>,
    },
    /// The installed operator must be kept, because no requirement names its package.
    Stays(InstalledOperator),
    /// A cluster has at most one bundle of a package.
    OnePackage(PackageName),
    /// A cluster has at most one operator that provides an API.
    OneProvider(Api),
    /// The property `olm.deprecated` forbids the installation of bundles of the package.
    Prohibited {
        package: PackageName,
        /// The relevant bundles, best first. Contains at least one.
        bundles: Vec<BundleName>,
    },
    /// A catalog cannot be read, and may have a suitable bundle.
    Unread {
        catalog: CatalogName,
        /// The time and the reason, as a clause of a sentence.
        why: String,
        /// True if an older content of the catalog was used for the search.
        is_stale: bool,
    },
}

/// A dependency, with the bundles that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Required {
    pub requirement: Requirement,
    /// The bundles with the dependency, best first. Contains at least one.
    pub bundles: Vec<BundleName>,
}

/// The reason why no catalog contains a suitable bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// No catalog has the name that the requirement specifies.
    NoCatalog,
    NoPackage {
        /// The package with a similar name. None if no name is similar.
        near: Option<PackageName>,
        /// The catalog error because of which the package may be missing. None if there is no
        /// error.
        hidden_by: Option<Hiding>,
    },
    /// Other catalogs contain the package, but the catalog that the requirement names does not.
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
    /// No upgrade path from the installed bundle reaches a matching version.
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

/// An attempt that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The bundles that fail for the same reasons, best first. Empty if no bundle is a candidate.
    pub bundles: Vec<BundleName>,
    /// The causes of the failure, as indexes of the causes in the Conflict.
    pub causes: Vec<usize>,
    /// The attempts to satisfy the dependencies. They failed too.
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
    /// Returns the catalog error because of which the package may be missing. Returns None if there
    /// is no error.
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
