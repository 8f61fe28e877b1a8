//! Health: whether operators and their catalogs do their work.
//!
//! A shell around `core/health`. It follows the objects of a world, asks the registries behind
//! CatalogSources, lets the core judge what changed, and tells those who ask; it decides nothing.
//!
//! ```text
//! world, registries -> cache -> core/health - -> Snapshot --\
//! request -> wire::decode -> question -> wire::encode -> response
//! ```
//!
//! It knows no catalog from within, and changes nothing anywhere.

mod cache;
pub mod probe;
mod question;
mod serve;
mod service;
mod snapshot;
mod wire;

pub use serve::{Flags, listen, serve};
pub use service::{Grounds, Health, Options};
