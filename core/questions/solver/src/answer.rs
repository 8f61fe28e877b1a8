//! Answers to questions.

use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::{self as catalog, Api, Constraint, PackageRequirement, Requirements};
use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName, Version};

use crate::{Conflict, InstalledOperator};

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// The wishes can be granted; in [`Mode::Each`](crate::Mode::Each), as far as it says.
    Solved(Solution),
    /// The wishes cannot be granted together.
    Refused(Conflict),
    /// The budget was spent before it was known whether they can.
    GaveUp { steps: u32 },
}

/// A valid set of operators that grants wishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The outcome of each wish, in their order.
    pub wishes: Vec<Granted>,
    /// The operators that the wishes are about, in their order, then what those pull in, by
    /// package, then the installed operators that any of them needs, by name.
    pub operators: Vec<Operator>,
    pub optimality: Optimality,
    /// Installed operators that lack something already; nothing was done about that.
    pub lacking: Vec<Lacking>,
}

/// The outcome of a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Granted {
    By {
        /// The place of the operator that grants it in [`Solution::operators`].
        operator: usize,
        /// The conflict of those that it would rather have, where there are such. None where that
        /// takes long to find out, too.
        passed_over: Option<Box<Conflict>>,
    },
    /// It cannot be granted together with those before it.
    Refused(Conflict),
    /// Unknown; the budget was spent.
    GaveUp,
}

/// The quality of a Solution by the objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimality {
    /// There is no better one.
    Best,
    /// No single change betters it. The budget was spent before more was known.
    NoSingleChangeBetters { steps: u32 },
}

/// An operator of a Solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The catalog that it is taken from; none if it is installed and stays.
    pub catalog: Option<CatalogName>,
    /// None if it is not known.
    pub package: Option<PackageName>,
    pub bundle: BundleName,
    /// None if it is not known.
    pub version: Option<Version>,
    /// The channel that it is taken from; none if it is installed and stays.
    pub channel: Option<ChannelName>,
    pub change: OperatorChange,
    /// Whether a wish asks for it: the places of those wishes in the question.
    pub wishes: Vec<usize>,
    /// The author's words against it, if any.
    pub deprecation: Option<Arc<str>>,
    /// Its requirements, each with the operator of the Solution or of the cluster that fulfills it.
    pub needs: Vec<Need>,
}

/// The change of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperatorChange {
    Install,
    /// It takes the place of an installed one.
    Move {
        /// The installed bundle.
        from: BundleName,
        /// The hops of the shortest path.
        hops: u32,
    },
    Stay,
}

/// A requirement of an operator, fulfilled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub requirement: Requirement,
    /// The bundle that fulfills it; an operator can fulfill its own.
    pub by: BundleName,
}

/// A requirement of an installed operator that nothing on the cluster fulfills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    pub installed: InstalledOperator,
    pub requirement: Requirement,
}

/// One thing that a bundle requires, on its own. A single operator must fulfill the whole of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// A package in one of some versions.
    Package(PackageRequirement),
    Api(Api),
    Constraint(Arc<Constraint>),
}

// === impl Requirement ===

impl Requirement {
    /// All that is required, in a stable order.
    pub(crate) fn each(requires: &Requirements) -> impl Iterator<Item = Self> {
        requires.each().map(Self::from)
    }

    /// Tells it from all others.
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
