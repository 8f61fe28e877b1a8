//! Tests a resolver that reads catalogs from `opm`, catalogd and API servers.

mod catalogs;
mod load;
mod outage;
pub(crate) mod questions;
mod quiet;
mod registry;
mod same;
pub(crate) mod serving;
pub(crate) mod world;
