//! Tests the diagnosis of operators that OLM fails to install, and the fixes.
//!
//! A test creates a problem in its namespace, and waits until a diagnosis service in this process
//! reports it. Then the test acts as a user. It runs the built program, runs the first fix in the
//! output without changes, and waits until the operator is healthy.
//!
//! At the same time, kubectl writes a dump. The dump, together with the catalogs, must give the
//! same output as the cluster.

mod calm;
mod catalogs;
mod diagnoses;
mod groups;
mod hops;
mod others;
mod own;
mod pairs;
mod plans;
mod pods;
mod readiness;
mod repairs;
mod requirements;
mod rollouts;
mod stage;
mod table;
mod unresolvable;
pub(crate) mod user;
