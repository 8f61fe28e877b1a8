//! Answers to questions.

use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::{self as catalog, Api, Constraint, PackageRequirement, Requirements};
use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName, Version};

use crate::{Conflict, InstalledOperator};

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// The requirements are satisfied. In [`Mode::Each`](crate::Mode::Each), only the requirements
    /// that the Solution lists are satisfied.
    Solved(Solution),
    /// The requirements cannot be satisfied together.
    Refused(Conflict),
    /// The search budget was used up before the answer was known.
    GaveUp { steps: u32 },
}

/// A valid set of operators that satisfies requirements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The result for each requirement, in order.
    pub wishes: Vec<Granted>,
    /// The operators, in three groups. First come the operators that satisfy the requirements, in
    /// the order of the requirements. Then come their dependencies, by package. Last come the
    /// installed operators that any of them needs, by name.
    pub operators: Vec<Operator>,
    pub optimality: Optimality,
    /// The dependencies of installed operators that were already missing. The Solution does not add
    /// them.
    pub lacking: Vec<Lacking>,
}

/// The outcome of a requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Granted {
    By {
        /// The operator that satisfies the requirement, as an index into [`Solution::operators`].
        operator: usize,
        /// The conflict that excludes a better operator. None if there is no better operator, or if
        /// the search for the conflict takes too long.
        passed_over: Option<Box<Conflict>>,
    },
    /// The requirement cannot be satisfied together with the earlier requirements that are
    /// satisfied.
    Refused(Conflict),
    /// It is unknown if the requirement can be satisfied, because the budget was used up.
    GaveUp,
}

/// The quality of a Solution, measured by the objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimality {
    /// There is no better Solution.
    Best,
    /// No single change improves the Solution. The budget was used up before the search ended.
    NoSingleChangeBetters { steps: u32 },
}

/// An operator of a Solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The catalog that provides the operator. None if the operator is installed and does not
    /// change.
    pub catalog: Option<CatalogName>,
    /// None if unknown.
    pub package: Option<PackageName>,
    pub bundle: BundleName,
    /// None if unknown.
    pub version: Option<Version>,
    /// The channel that contains the bundle. None if the operator is installed and does not change.
    pub channel: Option<ChannelName>,
    pub change: OperatorChange,
    /// The requirements that the operator satisfies, by their indexes in the question.
    pub wishes: Vec<usize>,
    /// The deprecation message of the author. None if the bundle is not deprecated.
    pub deprecation: Option<Arc<str>>,
    /// The dependencies of the operator, each with the operator of the Solution or of the cluster
    /// that satisfies it.
    pub needs: Vec<Need>,
}

/// The change of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperatorChange {
    Install,
    /// The bundle replaces an installed one.
    Move {
        /// The installed bundle.
        from: BundleName,
        /// The number of hops on the shortest path.
        hops: u32,
    },
    Stay,
}

/// A fulfilled dependency of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub requirement: Requirement,
    /// The bundle that satisfies the dependency. It may be the bundle of the operator itself.
    pub by: BundleName,
}

/// A dependency of an installed operator that no operator in the cluster satisfies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    pub installed: InstalledOperator,
    pub requirement: Requirement,
}

/// One dependency of a bundle. A single operator must satisfy it completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// A package in one of the accepted versions.
    Package(PackageRequirement),
    Api(Api),
    Constraint(Arc<Constraint>),
}

// === impl Requirement ===

impl Requirement {
    /// Iterates over all dependencies, in a stable order.
    pub(crate) fn each(requires: &Requirements) -> impl Iterator<Item = Self> {
        requires.each().map(Self::from)
    }

    /// Returns a key that identifies the dependency.
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
