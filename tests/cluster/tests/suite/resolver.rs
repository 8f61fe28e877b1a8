//! Where the resolver's catalogs come from, as the real programs give them.

mod catalogs;
mod load;
mod outage;
pub(crate) mod questions;
mod quiet;
mod registry;
mod same;
pub(crate) mod serving;
pub(crate) mod world;
