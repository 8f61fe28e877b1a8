//! Wishes in, a Solution or a Conflict out.
//!
//! A cluster has at most one bundle of a package and at most one operator that provides an API, and
//! each operator needs what its bundle requires. [`resolve`] finds the operators that grant a set
//! of wishes under these rules, the best ones by an objective that is written down in ADR 13, or a
//! minimal set of causes by which it is impossible.
//!
//! ```text
//! catalogs -> Universe           once per Snapshot
//!             Universe x Question -> Resolution: Solved, Refused or GaveUp
//! ```
//!
//! Everything is a function of its arguments: no clock, no I/O, no hash order. How long to search is
//! a number of steps, so that the same question has the same answer everywhere. Every Solution is
//! looked over by the plain rules before it is given out, whoever found it.
//!
//! The crate knows nothing of OLM, which decides by other rules, of namespaces, or of clusters. Its
//! neighbors are `catalog`, which says what bundles provide and require, and `graph`, which says
//! what an installed bundle can be moved to.

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
pub use question::{Budget, InstalledOperator, Mode, OperatorFacts, Question, Wish};
pub use resolve::{resolve, resolve_unless};
pub use universe::{CatalogOffer, Freshness, Universe};

/// A Solution breaks the rules: a bug of this crate, never the fault of who asks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the solver found what breaks the rules: {0}")]
pub struct Unsound(pub(crate) String);

#[cfg(test)]
mod tests;
