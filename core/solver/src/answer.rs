//! What is answered.

use std::sync::Arc;

use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName, Version};

use crate::{Conflict, Installed, Requirement};

/// What there is to say to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The wishes can be granted; in [`Mode::Each`](crate::Mode::Each), as far as it says.
    Solved(Solution),
    /// The wishes cannot be granted together.
    Refused(Conflict),
    /// The budget was spent before it was known whether they can.
    GaveUp {
        /// The steps that were taken.
        steps: u32,
    },
}

/// A valid set of operators that grants wishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// What became of each wish, in their order.
    pub wishes: Vec<Granted>,
    /// The operators that the wishes are about, in their order, then what those pull in, by
    /// package, then the installed operators that any of them needs, by name.
    pub operators: Vec<Operator>,
    /// How good it is.
    pub optimality: Optimality,
    /// Installed operators that lack something already; nothing was done about that.
    pub lacking: Vec<Lacking>,
}

/// What became of a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Granted {
    /// It is granted.
    By {
        /// The place of the operator that grants it in [`Solution::operators`].
        operator: usize,
        /// Why it is granted by none that it would rather have, where there are such: what they
        /// come into conflict with. None where that takes long to find out, too.
        passed_over: Option<Box<Conflict>>,
    },
    /// It cannot be granted together with those before it.
    Refused(Conflict),
    /// Nobody knows; the budget was spent.
    GaveUp,
}

/// How good a Solution is by the objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimality {
    /// There is no better one.
    Best,
    /// No single change betters it. The budget was spent before more was known.
    NoSingleChangeBetters {
        /// The steps that were taken.
        steps: u32,
    },
}

/// An operator of a Solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The catalog that it is taken from; none if it is installed and stays.
    pub catalog: Option<CatalogName>,
    /// Its package; none if nobody knows.
    pub package: Option<PackageName>,
    /// Its bundle.
    pub bundle: BundleName,
    /// Its version; none if nobody knows.
    pub version: Option<Version>,
    /// The channel that it is taken from; none if it is installed and stays.
    pub channel: Option<ChannelName>,
    /// What becomes of it.
    pub change: Change,
    /// Whether a wish asks for it: the places of those wishes in the question.
    pub wishes: Vec<usize>,
    /// Why its author advises against it, if so.
    pub deprecation: Option<Arc<str>>,
    /// What it needs, and which operator of the Solution or of the cluster fulfills it.
    pub needs: Vec<Need>,
}

/// What becomes of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Install,
    /// It takes the place of an installed one.
    Move {
        /// The installed bundle.
        from: BundleName,
        /// The hops of the shortest path.
        hops: u32,
    },
    /// It is installed and stays.
    Stay,
}

/// A requirement of an operator, fulfilled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// What is required.
    pub requirement: Requirement,
    /// The bundle that fulfills it; an operator can fulfill its own.
    pub by: BundleName,
}

/// A requirement of an installed operator that nothing on the cluster fulfills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    /// The operator.
    pub installed: Installed,
    /// What it lacks.
    pub requirement: Requirement,
}
