//! Tests of the rule languages through their public API.

mod rego;
mod schedule;
