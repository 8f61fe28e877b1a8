//! Tools for the tests of all other crates.
//!
//! The crate creates test data: a [`Catalog`] from a short text, large random catalogs
//! ([`universe`]), and the objects of a cluster ([`World`]). It also has servers: a [`Proxy`] that
//! fails requests, a server like [`catalogd`], and a registry of images ([`oci`]). It finds the
//! code [`blocks`] of a docs page and the [program](portolan) of this workspace, and runs processes
//! [without free memory](without_room). Its assertions show the difference of two values.
//!
//! The crate does not validate the data. So broken catalogs and objects are as easy to create as
//! valid ones.
//!
//! Only tests depend on this crate. It panics with a message if a test is wrong.
//!
//! ```
//! use portolan_kit::catalog;
//!
//! let folder = catalog("a: 1.0.0 -> 1.1.0 -> 2.0.0; 2.0.0 skips 1.0.0").temp();
//! assert!(folder.join("a/catalog.yaml").is_file());
//! ```

mod authority;
pub mod blocks;
pub mod catalog;
pub mod catalogd;
mod folder;
mod listening;
pub mod oci;
mod program;
pub mod proxy;
mod real;
mod room;
mod same;
pub mod universe;
pub mod world;

pub use authority::{Authority, Vouched};
pub use catalog::{Catalog, catalog};
pub use folder::TempFolder;
pub use program::{built, portolan};
pub use proxy::Proxy;
pub use real::{files, real_bundles, real_catalog, real_package};
pub use room::without_room;
pub use same::sorted_json;
#[doc(hidden)]
pub use similar_asserts;
pub use world::{World, world};
