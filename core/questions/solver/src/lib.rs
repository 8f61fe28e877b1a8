//! Resolves requirements: returns a Solution or a Conflict.
//!
//! A cluster has at most one bundle of a package and at most one operator that provides an API, and
//! each operator needs the dependencies of its bundle. [`resolve`] finds the operators that satisfy
//! a set of requirements under these rules. It returns the best of these sets according to the
//! objective in ADR 13. If there is no such set, it returns a minimal set of causes.
//!
//! ```text
//! catalogs -> Universe           once per Snapshot
//!             Universe x Question -> Resolution: Solved, Refused or GaveUp
//! ```
//!
//! All results depend only on the arguments: the crate uses no clock, no I/O and no hash order. The
//! search budget is a number of steps, so the same query has the same result on every machine.
//! Before a Solution is returned, the rules are checked without the solver.
//!
//! The crate has no notion of namespaces or clusters, and does not follow the rules of OLM. It uses
//! the crate `catalog` for the provided APIs and dependencies of bundles, and the crate `graph` for
//! the upgrade paths of an installed bundle.

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

/// A Solution violates the rules. This indicates a bug in this crate, never a mistake of the
/// caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the solver returned an invalid solution: {0}")]
pub struct Unsound(pub(crate) String);

#[cfg(test)]
mod tests;
