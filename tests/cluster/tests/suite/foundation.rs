//! Tests the control plane itself, which all other tests of the suite need.

mod audit;
mod building;
mod catalogs;
mod controllers;
mod faults;
mod json;
pub(crate) mod leftovers;
mod operators;
mod pods;
mod proxied;
