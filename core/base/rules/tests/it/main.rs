//! The languages of rules as their callers see them.

mod rego;
mod schedule;
