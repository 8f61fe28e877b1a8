//! The reasons why wishes cannot be granted.

mod text;

use portolan_core_catalog::{Api, Fault};
use portolan_core_names::{BundleName, CatalogName, PackageName, Version};

use crate::{InstalledOperator, Requirement, Wish};

/// A set of causes that cannot all hold, and the attempts that fail by them.
///
/// If it is minimal, then without any one of the causes the rest could be granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The causes, wishes first; no two are the same.
    pub causes: Vec<Cause>,
    /// Whether each cause is known to be needed; not if the budget was spent before.
    pub is_minimal: bool,
    /// The attempts for each wish among the causes, in their order.
    pub attempts: Vec<Attempt>,
}

/// One of the things that together are impossible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    Wish {
        /// Its place in the question.
        at: usize,
        wish: Wish,
        /// The lack of the catalogs, if nothing at all would grant it.
        lack: Option<Lack>,
    },
    /// Bundles of a package require something: an API, a constraint, or a package, of which each
    /// may name other versions.
    Requires {
        /// The package; none if that of an installed bundle is not known.
        package: Option<PackageName>,
        /// The requirements of the bundles that matter, that of the best bundle first; never empty.
        required: Vec<Required>,
        /// The lack of the catalogs, if nothing at all would fulfill it.
        lack: Option<Lack>,
    },
    /// The installed operator stays, as no wish names its package.
    Stays(InstalledOperator),
    /// A cluster has at most one bundle of a package.
    OnePackage(PackageName),
    /// A cluster has at most one operator that provides an API.
    OneProvider(Api),
    /// The property `olm.deprecated` forbids to install bundles of the package.
    Prohibited {
        package: PackageName,
        /// Those of its bundles that matter, the best first; never empty.
        bundles: Vec<BundleName>,
    },
    /// A catalog cannot be read. It may have what would do.
    Unread {
        catalog: CatalogName,
        /// Since when and why, as a clause.
        why: String,
        /// Whether older content of it was searched.
        is_stale: bool,
    },
}

/// A requirement, and who has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Required {
    pub requirement: Requirement,
    /// The bundles that require it, the best first; never empty.
    pub bundles: Vec<BundleName>,
}

/// The lack of all catalogs together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// No catalog has the name that the wish has for one.
    NoCatalog,
    NoPackage {
        /// The package that was probably meant.
        near: Option<PackageName>,
        /// The error that may hide it.
        hidden_by: Option<Hiding>,
    },
    /// The catalog that the wish names does not have the package, but others do.
    Elsewhere {
        /// The best of those.
        catalog: CatalogName,
    },
    NoChannel,
    /// The package has no such version; the nearest ones that it has.
    NoVersion {
        /// The highest version on offer.
        newest: Option<Version>,
    },
    /// Only prereleases are meant, and nobody asked for one.
    OnlyPrereleases {
        newest: BundleName,
    },
    /// No path leads there from the installed bundle.
    NoPath {
        installed: BundleName,
    },
    /// Nothing provides such an API, or fulfills such a constraint.
    NoProvider,
}

/// An error of a catalog by which a package of it may not be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hiding {
    pub catalog: CatalogName,
    pub error: Fault,
}

/// An attempt that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The bundles that fail in the same way, the best first. Empty for what has no candidate.
    pub bundles: Vec<BundleName>,
    /// The places of the causes in the Conflict by which it fails.
    pub causes: Vec<usize>,
    /// The attempts to fulfill them, which failed too.
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
    /// The error that may hide what is lacking.
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
