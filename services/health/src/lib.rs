//! The health service: reports if operators and their catalogs work.
//!
//! This crate connects the crate `core/questions/health` to the objects of a cluster and to gRPC.
//! The service watches objects and probes the registries of CatalogSources. When an object changes,
//! the core crate judges the affected operators and catalogs, and the service reports the verdicts.
//! All decisions are in the core crate.
//!
//! ```text
//! world, registries -> cache -> core/questions/health - -> Snapshot --\
//! request -> wire::decode -> question -> wire::encode -> response
//! ```
//!
//! The service does not read the content of catalogs, and writes no objects.

mod cache;
pub mod probe;
mod question;
mod serve;
mod service;
mod snapshot;
mod wire;

pub use serve::{Flags, listen, serve};
pub use service::{Grounds, Health, Options};
