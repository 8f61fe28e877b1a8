//! Tools for writing the tests of every other crate.
//!
//! It knows how to make small worlds: a [`Catalog`] from one line of text, the objects of a
//! cluster ([`World`]), a [`Proxy`] that makes trouble before a server, a server like
//! [`catalogd`] or a registry of images ([`oci`]), the [`blocks`] of a page, the
//! [program](portolan) itself as it is built, a process [without room](without_room), and asserts that show how two whole values differ.
//! Large catalogs are random and yet the same in every run ([`universe`]). It refuses to know what
//! is right: nothing here validates a catalog or judges an object, so that broken ones are made as
//! easily as sound ones.
//!
//! Only tests depend on this crate. It panics, with a sentence, where a test is written wrongly.
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
pub use program::portolan;
pub use proxy::Proxy;
pub use real::{files, real_bundles, real_catalog, real_package};
pub use room::without_room;
pub use same::sorted_json;
#[doc(hidden)]
pub use similar_asserts;
pub use world::{World, world};
