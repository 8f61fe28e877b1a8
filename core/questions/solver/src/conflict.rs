//! The reasons why requirements cannot be satisfied.

mod text;

use portolan_core_catalog::{Api, Fault};
use portolan_core_names::{BundleName, CatalogName, PackageName, Version};

use crate::{InstalledOperator, RequestedPackage, Requirement};

/// A set of causes that cannot all hold, and the attempts that fail because of them.
///
/// If it is minimal, the requirements could be satisfied without any one of the causes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The causes, requirements first, without duplicates.
    pub causes: Vec<Cause>,
    /// True if every cause is known to be necessary. False if the budget was spent earlier.
    pub is_minimal: bool,
    /// The attempts for each requirement among the causes, in order.
    pub attempts: Vec<Attempt>,
}

/// One of the causes of a Conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    Wish {
        /// The place in the question.
        at: usize,
        wish: RequestedPackage,
        /// The reason in the catalogs, if no bundle at all satisfies it.
        lack: Option<Lack>,
    },
    /// Bundles of a package depend on an API, a constraint, or a package. Each bundle may name
    /// other versions.
    Requires {
        /// The package; None for an installed bundle whose package is unknown.
        package: Option<PackageName>,
        /// The dependencies of the relevant bundles, the one of the best bundle first; never empty.
        required: Vec<Required>,
        /// The reason in the catalogs, if no bundle at all fulfills it.
        lack: Option<Lack>,
    },
    /// The installed operator stays, because no requirement names its package.
    Stays(InstalledOperator),
    /// A cluster has at most one bundle of a package.
    OnePackage(PackageName),
    /// A cluster has at most one operator that provides an API.
    OneProvider(Api),
    /// The property `olm.deprecated` forbids installing bundles of the package.
    Prohibited {
        package: PackageName,
        /// The relevant bundles, best first; never empty.
        bundles: Vec<BundleName>,
    },
    /// A catalog cannot be read, and may have a suitable bundle.
    Unread {
        catalog: CatalogName,
        /// The time and the reason, as a clause.
        why: String,
        /// True if an older content of the catalog was searched.
        is_stale: bool,
    },
}

/// A dependency, with the bundles that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Required {
    pub requirement: Requirement,
    /// The bundles that have it, best first; never empty.
    pub bundles: Vec<BundleName>,
}

/// The reason why no catalog has a suitable bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// No catalog has the name that the requirement gives.
    NoCatalog,
    NoPackage {
        /// The package that was probably meant.
        near: Option<PackageName>,
        /// The error that may hide the package.
        hidden_by: Option<Hiding>,
    },
    /// Other catalogs have the package, but not the one that the requirement names.
    Elsewhere {
        /// The best of the other catalogs.
        catalog: CatalogName,
    },
    NoChannel,
    /// The package has no matching version.
    NoVersion {
        /// The highest available version.
        newest: Option<Version>,
    },
    /// Every matching version is a prerelease, and prereleases were not requested.
    OnlyPrereleases {
        newest: BundleName,
    },
    /// No upgrade path from the installed bundle reaches a matching version.
    NoPath {
        installed: BundleName,
    },
    /// No bundle provides the API or fulfills the constraint.
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
    /// The bundles that fail in the same way, best first. Empty if no bundle is a candidate.
    pub bundles: Vec<BundleName>,
    /// The causes of the failure, by their places in the Conflict.
    pub causes: Vec<usize>,
    /// The attempts to fulfill the dependencies, which failed too.
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
    /// Returns the error that may hide the missing package.
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
