//! Parses the bytes of file-based catalogs into a [`Catalog`], and reports every defect with its
//! place.
//!
//! ```text
//! bytes -> Reader -> Reading   one file: its documents, parsed, and its faults
//!                    Reading --\
//!                    Reading ----> Catalog   packages, faults, digests
//! ```
//!
//! Knows the schemas `olm.package`, `olm.channel`, `olm.bundle` and `olm.deprecations`, in YAML and
//! in JSON, and counts all others. Other people's data is never an error here: what cannot be read
//! is a [`Fault`], which names the file, the line and the package, and costs no more than the
//! document, the entry or the edge that it stands in. What no answer needs, such as manifests and
//! icons, is passed over; the [`CatalogPlace`] of its document is kept, and [`raw`] reads it from there.
//!
//! Requirements of documents on one another across packages are compared by [`unmet`], for they are
//! no fault of any of the documents. Whether one [`Candidate`] fulfills one [`Requirement`] is
//! decided here alone, constraints and their rules included.
//!
//! The crate opens no file and knows no cluster. It does not look for heads, cycles or ways either:
//! its neighbors are `names`, whose types it fills, and `graph`, which draws what it holds.
//!
//! ```
//! use portolan_core_catalog::{Catalog, Reading};
//!
//! let ferry = Reading::of("ferry/catalog.json", br#"
//!     {"schema": "olm.package", "name": "ferry", "defaultChannel": "stable"}
//!     {"schema": "olm.channel", "package": "ferry", "name": "stable",
//!      "entries": [{"name": "ferry.v1.0.0"}]}
//!     {"schema": "olm.bundle", "package": "ferry", "name": "ferry.v1.0.0",
//!      "image": "registry.example/ferry:v1.0.0", "properties": [
//!        {"type": "olm.package", "value": {"packageName": "ferry", "version": "1.0.0"}}]}
//! "#);
//! let catalog = Catalog::of([ferry]);
//! assert_eq!(catalog.faults, []);
//! assert_eq!(catalog.packages["ferry"].bundles["ferry.v1.0.0"].version.major(), 1);
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod assembly;
mod constraint;
mod digest;
mod document;
mod fault;
mod model;
mod needs;
pub mod node;
pub mod raw;
mod reader;
mod reading;
mod requirement;
mod split;

pub use constraint::{Cel, Clause, Constraint, Rule};
pub use digest::Digest;
pub use fault::{Defect, Fault, Schema, Severity};
pub use model::{
    Api, Bundle, Catalog, CatalogPlace, Channel, Deprecations, Display, Entry, InstallMode,
    Package, PackageRequirement, Property, RelatedImage, Requirements,
};
pub use needs::{Need, Unmet, unmet};
pub use reader::{Limits, Packing, Reader};
pub use reading::Reading;
pub use requirement::{Candidate, Properties, Requirement};
