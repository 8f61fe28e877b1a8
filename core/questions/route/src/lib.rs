//! Plans the routes of several operators, step by step, from their installed versions to their
//! required versions.
//!
//! An operator moves from bundle to bundle along the edges of its catalog. Installed bundles
//! require other operators in certain versions. A route is a list of steps. After each step, all
//! requirements are satisfied:
//!
//! ```text
//! Question -> tracks: where each operator may be      by its own graph, up to its pin
//!          -> problem: needs, conflicts               impossible states are left out
//!          -> components: operators that interact     planned separately
//!          -> target: the best final state            valid, even if no path leads there
//!          -> search: the cheapest path               steps: single moves or unsplittable sets
//!          -> Plan: routes, ends, blockages
//! ```
//!
//! A state is sound if it satisfies all requirements. A step is usually a single move to a sound
//! state. Several moves form one step only if no subset of them results in a sound state. For
//! example, two operators may require the same version of each other. If more than eight operators
//! might have to move together, only single moves are tried, and the route reports this.
//!
//! If a requirement cannot be satisfied, the answer contains the last reachable bundle, the
//! blockage, and the changes that would help. The search has verified each of these changes.
//!
//! # Guarantees
//!
//! See [`plan()`]. All results depend only on the arguments: the crate uses no clock, no I/O and no
//! hash order. The search budget is a number of states. If the search exceeds the budget, the route
//! is still sound, and it reports that a better route may exist.
//!
//! # Out of scope
//!
//! The crate does not choose between the bundles of several catalogs, and never adds an operator
//! that was not requested. The caller must check that images exist and that bundles are healthy,
//! and must decide when a step may start. The crate `forecast` predicts what OLM v0 does, and the
//! crate `solver` finds the best set of operators. A question shares the packages of the crates
//! `catalog` and `graph`, so a question with many operators needs little memory.
//!
//! ```
//! use std::sync::Arc;
//!
//! use portolan_core_catalog::{Catalog, Reading};
//! use portolan_core_graph::Charted;
//! use portolan_core_route::{Goal, Operator, Question, plan};
//! use portolan_core_solver::InstalledOperator;
//!
//! let ferry = Catalog::of([Reading::of("ferry.json", br#"
//!     {"schema": "olm.package", "name": "ferry", "defaultChannel": "stable"}
//!     {"schema": "olm.channel", "package": "ferry", "name": "stable", "entries": [
//!       {"name": "ferry.v1.0.0"}, {"name": "ferry.v1.1.0", "replaces": "ferry.v1.0.0"}]}
//!     {"schema": "olm.bundle", "package": "ferry", "name": "ferry.v1.0.0", "image": "x.test/a:1",
//!      "properties": [
//!        {"type": "olm.package", "value": {"packageName": "ferry", "version": "1.0.0"}}]}
//!     {"schema": "olm.bundle", "package": "ferry", "name": "ferry.v1.1.0", "image": "x.test/a:2",
//!      "properties": [
//!        {"type": "olm.package", "value": {"packageName": "ferry", "version": "1.1.0"}}]}
//! "#)]);
//! let package = Arc::new(Charted::new(ferry.packages["ferry"].clone()));
//! let installed = InstalledOperator::named("ferry.v1.0.0".parse()?);
//! let mut question = Question::default();
//! question.operators.push(Operator::new(package, Some(installed), Goal::Any));
//!
//! let plan = plan(&question)?;
//! assert!(plan.is_reached());
//! assert_eq!(plan.to_string(), "1. ferry.v1.0.0 -> ferry.v1.1.0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod answer;
mod component;
mod cost;
mod explain;
mod lockstep;
mod plan;
mod problem;
mod question;
pub mod readiness;
mod search;
mod target;
mod track;

pub use answer::{
    Cause, Certainty, End, Hold, Move, Plan, Route, RouteBlockage, RouteStep, Suggestion, Wanted,
};
pub use plan::plan;
pub use question::{Budget, Goal, Operator, Overrides, Question, Refused};
