//! File-based catalogs: bytes in, a [`Catalog`] out, every complaint with its place.
//!
//! Knows the schemas `olm.package`, `olm.channel` and `olm.bundle`, and counts all others. Other
//! people's data is never an error here: what cannot be read is a [`Fault`], which names the file,
//! the line and the package and costs nothing but its document.
//!
//! The crate opens no file and knows no cluster; its neighbors are `names`, whose types it fills,
//! and `graph`, which draws what it holds.
//!
//! ```
//! use portolan_catalog::{Format, Reader};
//!
//! let mut reader = Reader::default();
//! reader.read("ferry/catalog.json", Format::Json, br#"
//!     {"schema": "olm.package", "name": "ferry", "defaultChannel": "stable"}
//!     {"schema": "olm.channel", "package": "ferry", "name": "stable",
//!      "entries": [{"name": "ferry.v1.0.0"}]}
//!     {"schema": "olm.bundle", "package": "ferry", "name": "ferry.v1.0.0",
//!      "properties": [{"type": "olm.package", "value": {"version": "1.0.0"}}]}
//! "#);
//! let catalog = reader.finish();
//! assert!(catalog.faults.is_empty());
//! assert_eq!(catalog.packages["ferry"].bundles["ferry.v1.0.0"].version.major(), 1);
//! ```

mod digest;
mod document;
mod fault;
mod model;
mod reader;

pub use digest::Digest;
pub use fault::{Fault, Trouble};
pub use model::{Bundle, Catalog, Channel, Entry, Package};
pub use reader::{Format, Reader};
