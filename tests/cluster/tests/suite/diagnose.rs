//! Diagnoses of operators that the real OLM fails to install, and their fixes.
//!
//! A test creates a state in its namespace, and waits until a service in this process diagnoses it.
//! Then the test acts as a user: it runs the built program, executes the first printed fix
//! verbatim, and waits until the operator is healthy. A dump that kubectl writes at the same
//! moment, together with the catalogs, must give the same output.

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
mod user;
