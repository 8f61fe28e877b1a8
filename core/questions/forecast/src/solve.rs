//! The solver that makes the same choices as OLM.
//!
//! ```text
//! all clauses, no preference -- contradictory --> a minimal set of reasons
//!        |
//!    satisfiable --> one guess for each choice, the most preferred option first
//! ```

mod prefer;
mod refute;
mod trail;

use std::collections::BTreeSet;

use self::trail::Trail;
use crate::Reason;
use crate::formula::{Formula, Var};

/// The maximum number of steps of one resolution. A step examines one variable of one clause, and
/// takes a few nanoseconds.
pub(crate) const PATIENCE: u64 = 400_000_000;

/// The result of a resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A solution exists. Contains the chosen variables.
    Chosen(BTreeSet<Var>),
    /// The clauses contradict each other. Contains the reasons, sorted by text. Without any one of
    /// these reasons, there would be no contradiction between them.
    Unsatisfiable(Vec<Reason>),
}

/// The error for a search that reached its step limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GaveUp;

/// Finds the solution that OLM chooses. Stops after `patience` steps.
pub(crate) fn solve(formula: &Formula, patience: u64) -> Result<Outcome, GaveUp> {
    let mut trail = Trail::new(formula, patience);
    Ok(match refute::model(&mut trail)? {
        Err(core) => Outcome::Unsatisfiable(refute::reasons(&mut trail, core)?),
        Ok(_) => Outcome::Chosen(prefer::choose(&mut trail)?),
    })
}

#[cfg(test)]
mod tests;
