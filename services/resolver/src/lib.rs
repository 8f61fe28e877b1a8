//! The resolver service: reads catalogs and answers queries about upgrades.
//!
//! This crate connects the crates `core/base/catalog` and `core/questions/graph` to the sources of
//! catalogs and to gRPC. The service decodes a query, calls a core crate with the current
//! [`Snapshot`], and encodes the response. All decisions are in the core crates. The [`source`]s
//! are files, images, registries, catalogd servers and the objects of a cluster. The module
//! [`readiness`] compares the catalogs of several releases.
//!
//! ```text
//! source -> Snapshot --\
//! request -> wire::decode -> core/questions/graph -> wire::encode -> response
//! ```

mod budget;
pub mod bundles;
mod cached;
mod catalogs;
pub mod extensions;
mod following;
pub mod local;
mod mirrors;
mod question;
pub mod readiness;
mod serve;
mod service;
pub mod snapshot;
pub mod source;
mod streamed;
mod wire;

pub use cached::CachedResolver;
pub use catalogs::Catalogs;
pub use following::Following;
pub use mirrors::Mirrors;
pub use serve::{Flags, listen, serve};
pub use service::Resolver;
pub use snapshot::Snapshot;
pub use source::Readings;
pub use streamed::StreamedGraph;
