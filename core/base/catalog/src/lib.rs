//! Parses the bytes of file-based catalogs into a [`Catalog`], and reports every defect with its
//! place.
//!
//! ```text
//! bytes -> Reader -> Reading   one file: its documents, parsed, and its faults
//!                    Reading --\
//!                    Reading ----> Catalog   packages, faults, digests
//! ```
//!
//! Parses the schemas `olm.package`, `olm.channel`, `olm.bundle` and `olm.deprecations`, in YAML
//! and in JSON, and counts documents with other schemas. Invalid catalog data is never an error:
//! content that cannot be read becomes a [`Fault`] with the file, the line and the package, and
//! only the document, entry or edge with the defect is dropped. Content that no query needs, such
//! as manifests and icons, is skipped. The model keeps the [`CatalogPlace`] of the document, and
//! [`raw`] reads the skipped content from there.
//!
//! Requirements across packages are compared by [`unmet`], because an unmet requirement is not a
//! fault of a document. Only this crate decides if a [`Candidate`] fulfills a [`Requirement`],
//! including constraints and their rules.
//!
//! The crate opens no file and accesses no cluster. It does not compute heads, cycles or paths
//! either: the crate `graph` builds graphs from its data. The crate `names` has the types of names
//! and versions.
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
