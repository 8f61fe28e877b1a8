//! Answers to questions.

use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::{self as catalog, Api, Constraint, PackageRequirement, Requirements};
use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName, Version};

use crate::{Conflict, InstalledOperator};

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// The requirements are satisfied; in [`Mode::Each`](crate::Mode::Each), those that it lists.
    Solved(Solution),
    /// The requirements cannot be satisfied together.
    Refused(Conflict),
    /// The budget was spent before the answer was known.
    GaveUp { steps: u32 },
}

/// A valid set of operators that satisfies requirements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The outcome of each requirement, in order.
    pub wishes: Vec<Granted>,
    /// The operators that satisfy the requirements, in their order. Then the operators that those
    /// pull in, by package. Then the installed operators that any of them needs, by name.
    pub operators: Vec<Operator>,
    pub optimality: Optimality,
    /// Dependencies that installed operators lacked before. The Solution does not add them.
    pub lacking: Vec<Lacking>,
}

/// The outcome of a requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Granted {
    By {
        /// The place of the operator that satisfies it in [`Solution::operators`].
        operator: usize,
        /// The conflict that rules out a better operator. None if this is the best one, or if the
        /// search for the conflict takes too long.
        passed_over: Option<Box<Conflict>>,
    },
    /// The requirement cannot be satisfied together with the satisfied requirements before it.
    Refused(Conflict),
    /// Unknown; the budget was spent.
    GaveUp,
}

/// The quality of a Solution by the objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimality {
    /// No Solution is better.
    Best,
    /// No single change improves it. The budget was spent before the search ended.
    NoSingleChangeBetters { steps: u32 },
}

/// An operator of a Solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The catalog that provides it; None if it is installed and stays.
    pub catalog: Option<CatalogName>,
    /// None if unknown.
    pub package: Option<PackageName>,
    pub bundle: BundleName,
    /// None if unknown.
    pub version: Option<Version>,
    /// The channel that it comes from; None if it is installed and stays.
    pub channel: Option<ChannelName>,
    pub change: OperatorChange,
    /// The requirements that it satisfies, by their places in the question.
    pub wishes: Vec<usize>,
    /// The deprecation message of the author, if any.
    pub deprecation: Option<Arc<str>>,
    /// Its dependencies, each with the operator of the Solution or of the cluster that fulfills it.
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
        /// The hops of the shortest path.
        hops: u32,
    },
    Stay,
}

/// A fulfilled dependency of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub requirement: Requirement,
    /// The bundle that fulfills it; an operator can fulfill its own.
    pub by: BundleName,
}

/// A dependency of an installed operator that nothing on the cluster fulfills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    pub installed: InstalledOperator,
    pub requirement: Requirement,
}

/// One dependency of a bundle. A single operator must fulfill it completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// A package, in one of the accepted versions.
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
