//! The runtime of controllers: everything about a controller that is the same for every kind.

mod controllers;
mod driver;
pub mod lease;
mod metrics;
mod pending;
mod queue;

pub use controllers::{Controllers, Stopped};
pub use driver::{Cache, Driver, Outcome, Reconciler, Report, Snapshot, Warning, instant};
pub use metrics::Reconciles;
pub use pending::{Cached, Expected, PendingWrite};
