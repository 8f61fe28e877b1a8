//! Resolves requirements to a Solution, or explains the Conflict between them.
//!
//! The rules are:
//!
//! - A cluster has at most one bundle of a package.
//! - A cluster has at most one operator that provides an API.
//! - Each operator needs the dependencies of its bundle.
//!
//! [`resolve`] finds sets of operators that satisfy requirements under these rules. It returns the
//! best set, according to the objective in ADR 13. If no such set exists, it returns a minimal set
//! of causes.
//!
//! ```text
//! catalogs -> Universe           once per Snapshot
//!             Universe x Question -> Resolution: Solved, Refused or GaveUp
//! ```
//!
//! All results depend only on the arguments: the crate uses no clock, no I/O and no hash order. The
//! search budget is a number of steps, so the same query has the same result on every machine.
//! Before the crate returns a Solution, it checks all rules again without the SAT solver.
//!
//! The crate ignores namespaces, and does not follow the rules of OLM. The crate `catalog` provides
//! the APIs and dependencies of bundles. The crate `graph` provides the upgrade paths of an
//! installed bundle.

#![warn(clippy::wildcard_enum_match_arm)]

mod answer;
mod check;
mod conflict;
mod cost;
mod encoding;
mod explain;
mod optimum;
mod pool;
mod problem;
mod question;
mod resolve;
mod sat;
mod solution;
mod universe;

pub use answer::{
    Granted, Lacking, Need, Operator, OperatorChange, Optimality, Requirement, Resolution, Solution,
};
pub use conflict::{Attempt, Cause, Conflict, Hiding, Lack, Required};
pub use question::{Budget, InstalledOperator, Mode, OperatorFacts, Question, RequestedPackage};
pub use resolve::{resolve, resolve_unless};
pub use universe::{CatalogOffer, Freshness, Universe};

/// The error for a Solution that violates the rules. It is always a bug of this crate, and never a
/// mistake of the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the solver returned an invalid solution: {0}")]
pub struct Unsound(pub(crate) String);

#[cfg(test)]
mod tests;
