//! The choice that OLM makes.
//!
//! ```text
//! all clauses, no preference ---- cannot hold ----> a set of reasons, none of them superfluous
//!        |
//!     can hold ----> a guess for one choice after the other, the most preferred first
//! ```

mod prefer;
mod refute;
mod trail;

use std::collections::BTreeSet;

use self::trail::Trail;
use crate::Reason;
use crate::formula::{Formula, Var};

/// The most steps for one resolution. A step looks at one variable of one clause, which takes
/// nanoseconds.
pub(crate) const PATIENCE: u64 = 400_000_000;

/// The outcome of a resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The variables that are there.
    Chosen(BTreeSet<Var>),
    /// The reasons: sorted by text, and each of them is necessary.
    Unsatisfiable(Vec<Reason>),
}

/// Patience is at an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GaveUp;

/// Looks for what OLM would choose.
pub(crate) fn solve(formula: &Formula, patience: u64) -> Result<Outcome, GaveUp> {
    let mut trail = Trail::new(formula, patience);
    Ok(match refute::model(&mut trail)? {
        Err(core) => Outcome::Unsatisfiable(refute::reasons(&mut trail, core)?),
        Ok(_) => Outcome::Chosen(prefer::choose(&mut trail)?),
    })
}

#[cfg(test)]
mod tests;
