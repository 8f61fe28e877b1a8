//! The catalogs of a resolver from real programs.

mod catalogs;
mod load;
mod outage;
pub(crate) mod questions;
mod quiet;
mod registry;
mod same;
pub(crate) mod serving;
pub(crate) mod world;
