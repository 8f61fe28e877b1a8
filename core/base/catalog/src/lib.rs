//! Parses file-based catalogs into a [`Catalog`], and reports every defect with its position.
//!
//! ```text
//! bytes -> Reader -> Reading   one file: its documents, parsed, and its faults
//!                    Reading --\
//!                    Reading ----> Catalog   packages, faults, digests
//! ```
//!
//! The crate parses the schemas `olm.package`, `olm.channel`, `olm.bundle` and `olm.deprecations`,
//! in YAML and in JSON, and counts documents with other schemas. Invalid content is never an error.
//! An invalid part becomes a [`Fault`] with the file, the line and the package, and the parser
//! drops only the affected document, entry or edge. The parser skips content that no query needs,
//! such as manifests and icons. The model contains the [`CatalogPlace`] of each document, from
//! which [`raw`] reads the skipped content.
//!
//! [`unmet`] finds requirements that no bundle of any package satisfies, because such a requirement
//! is not a fault of a single document. Only this crate decides if a [`Candidate`] satisfies a
//! [`Requirement`], including constraints and their CEL rules.
//!
//! The crate opens no file and accesses no cluster. It computes no heads, cycles or paths: the
//! crate `graph` builds graphs from its data. The crate `names` defines the types of names and
//! versions.
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
