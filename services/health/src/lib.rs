//! The health service, which reports if operators and their catalogs work.
//!
//! This crate connects `core/questions/health` to a world and to gRPC. It watches the objects in a
//! world and probes the registries of CatalogSources. When an object changes, the core judges the
//! affected operators and catalogs, and this crate reports the verdicts. The crate makes no
//! decisions.
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
