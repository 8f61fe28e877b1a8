//! The resolver: catalogs in, answers about upgrades out.
//!
//! A shell around `core/base/catalog` and `core/questions/graph`. It decodes a question, asks the core about the
//! [`Snapshot`] that is current when the question comes, and encodes the answer; it decides
//! nothing. Files, registries, catalogds and the objects of a cluster are its [`source`]s.
//!
//! ```text
//! source -> Snapshot --\
//! request -> wire::decode -> core/questions/graph -> wire::encode -> response
//! ```

mod budget;
pub mod bundles;
mod cached;
mod catalogs;
mod following;
pub mod local;
mod mirrors;
mod question;
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
