//! Resolves requirements: returns a Solution or a Conflict.
//!
//! A cluster has at most one bundle of a package and at most one operator that provides an API, and
//! each operator needs the dependencies of its bundle. [`resolve`] finds the operators that satisfy
//! a set of requirements under these rules: the best ones by the objective of ADR 13. If there are
//! none, it returns a minimal set of causes.
//!
//! ```text
//! catalogs -> Universe           once per Snapshot
//!             Universe x Question -> Resolution: Solved, Refused or GaveUp
//! ```
//!
//! Everything is a function of its arguments: no clock, no I/O, no hash order. The search budget is
//! a number of steps, so that the same question has the same answer everywhere. Every Solution is
//! checked against the plain rules before it is returned.
//!
//! The crate knows nothing of OLM, which decides by other rules, of namespaces, or of clusters. It
//! builds on `catalog`, which has the provided APIs and dependencies of bundles, and on `graph`,
//! which has the upgrade paths of an installed bundle.

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

/// A Solution breaks the rules. This is a bug of this crate, never an error of the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the solver returned an invalid solution: {0}")]
pub struct Unsound(pub(crate) String);

#[cfg(test)]
mod tests;
