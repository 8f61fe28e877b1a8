//! The answer to a question: a Solution or a Conflict.

use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::{self as catalog, Api, Constraint, PackageRequirement, Requirements};
use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName, Version};

use crate::{Conflict, InstalledOperator};

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// The requirements are satisfied. In [`Mode::Each`](crate::Mode::Each), some requirements may
    /// be refused: the Solution lists the result for each requirement.
    Solved(Solution),
    /// The requirements cannot be satisfied together.
    Refused(Conflict),
    /// The search used up its budget before the answer was known.
    GaveUp { steps: u32 },
}

/// A valid set of operators that satisfies requirements of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The result for each requirement, in the order of the question.
    pub wishes: Vec<Granted>,
    /// The operators in three groups. The first group satisfies the requirements, in the order of
    /// the requirements. The second group contains their dependencies, by package. The third group
    /// contains the installed operators that the other groups need, by name.
    pub operators: Vec<Operator>,
    pub optimality: Optimality,
    /// The dependencies of installed operators that were already missing before. The Solution does
    /// not add these dependencies.
    pub lacking: Vec<Lacking>,
}

/// The result for one requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Granted {
    By {
        /// The operator that satisfies the requirement, as an index of [`Solution::operators`].
        operator: usize,
        /// The conflict that excludes a better operator. None if no better operator exists, or if
        /// the search for the conflict takes too long.
        passed_over: Option<Box<Conflict>>,
    },
    /// The requirement conflicts with earlier requirements that are satisfied.
    Refused(Conflict),
    /// The search used up its budget before the result for this requirement was known.
    GaveUp,
}

/// The quality of a Solution according to the objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimality {
    /// No better Solution exists.
    Best,
    /// A better Solution may exist, because the search used up its budget. But no single change
    /// improves the Solution.
    NoSingleChangeBetters { steps: u32 },
}

/// An operator of a Solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The catalog that provides the operator. None if the operator is installed and is not
    /// changed.
    pub catalog: Option<CatalogName>,
    /// The package. None if it is unknown.
    pub package: Option<PackageName>,
    pub bundle: BundleName,
    /// The version. None if it is unknown.
    pub version: Option<Version>,
    /// The channel that contains the bundle. None if the operator is installed and is not changed.
    pub channel: Option<ChannelName>,
    pub change: OperatorChange,
    /// The requirements that the operator satisfies, as indexes of the question.
    pub wishes: Vec<usize>,
    /// The deprecation message of the author. None if the bundle is not deprecated.
    pub deprecation: Option<Arc<str>>,
    /// The dependencies of the operator, each with the operator that satisfies it. This operator is
    /// in the Solution or in the cluster.
    pub needs: Vec<Need>,
}

/// The change of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperatorChange {
    Install,
    /// The bundle replaces an installed bundle.
    Move {
        /// The bundle that is replaced.
        from: BundleName,
        /// The number of hops on the shortest upgrade path.
        hops: u32,
    },
    Stay,
}

/// A satisfied dependency of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub requirement: Requirement,
    /// The bundle that satisfies the dependency. This may be the operator's own bundle.
    pub by: BundleName,
}

/// A dependency of an installed operator that no operator in the cluster satisfies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    pub installed: InstalledOperator,
    pub requirement: Requirement,
}

/// One dependency of a bundle. A single operator must satisfy the whole dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// A package in one of the required versions.
    Package(PackageRequirement),
    Api(Api),
    Constraint(Arc<Constraint>),
}

// === impl Requirement ===

impl Requirement {
    /// Iterates over all dependencies in a stable order.
    pub(crate) fn each(requires: &Requirements) -> impl Iterator<Item = Self> {
        requires.each().map(Self::from)
    }

    /// Returns a key that is equal for equal dependencies.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Package(_) | Self::Api(_) => self.to_string(),
            Self::Constraint(constraint) => constraint.text().to_owned(),
        }
    }

    fn borrowed(&self) -> catalog::Requirement<'_> {
        match self {
            Self::Package(required) => catalog::Requirement::Package(required),
            Self::Api(api) => catalog::Requirement::Api(api),
            Self::Constraint(constraint) => catalog::Requirement::Constraint(constraint),
        }
    }

    pub(crate) fn is_met_by(&self, candidate: &catalog::Candidate<'_>) -> bool {
        self.borrowed().is_met_by(candidate)
    }
}

impl From<catalog::Requirement<'_>> for Requirement {
    fn from(borrowed: catalog::Requirement<'_>) -> Self {
        match borrowed {
            catalog::Requirement::Package(required) => Self::Package(required.clone()),
            catalog::Requirement::Api(api) => Self::Api(api.clone()),
            catalog::Requirement::Constraint(constraint) => {
                Self::Constraint(Arc::clone(constraint))
            }
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.borrowed().fmt(f)
    }
}
