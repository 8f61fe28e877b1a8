//! Health: reports if operators and their catalogs work.
//!
//! A shell around `core/questions/health`. It follows the objects of a world, probes the registries behind
//! CatalogSources, lets the core evaluate what has changed, and reports the verdicts; it decides
//! nothing.
//!
//! ```text
//! world, registries -> cache -> core/questions/health - -> Snapshot --\
//! request -> wire::decode -> question -> wire::encode -> response
//! ```
//!
//! The service does not read the content of catalogs, and writes nothing.

mod cache;
pub mod probe;
mod question;
mod serve;
mod service;
mod snapshot;
mod wire;

pub use serve::{Flags, listen, serve};
pub use service::{Grounds, Health, Options};
