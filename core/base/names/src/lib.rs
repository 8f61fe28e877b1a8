//! The words of an operator catalog, each parsed once: names, versions, releases, and version
//! ranges. Also references to objects.
//!
//! All text that enters Portolan, from a catalog, a manifest or a command line, is converted to one
//! of these types at the boundary. Code inside does not parse strings again, and none of these
//! types can contain a text that its `parse` would reject.
//!
//! | Type | Holds | Compared by |
//! |---|---|---|
//! | [`CatalogName`], [`PackageName`] | a Kubernetes object name | text |
//! | [`ChannelName`], [`BundleName`] | what authors really wrote | text |
//! | [`Version`] | strict semantic version | precedence: `1.0.0+a` equals `1.0.0+b` |
//! | [`Release`] | the rebuild number of a bundle | precedence of prereleases |
//! | [`VersionRange`] | the range language of OLM | the set of versions it matches |
//! | [`Requirement`] | what a user requests: `package@range channel=… catalog=…` | its parts |
//! | [`Consent`] | what may be installed: a bundle, `package@range`, `*` | its parts |
//!
//! Each type has `parse`, [`FromStr`](std::str::FromStr), `TryFrom` of text, and
//! [`Display`](std::fmt::Display), which returns the text as it was written; serde uses the same
//! functions. The error is an [`InvalidText`]: a sentence with the value, the position and the
//! remedy, which can be written to a status condition or a terminal.
//!
//! The module [`trouble`] has the sentences about problems that several parts of the product
//! report.
//!
//! Foreign text becomes safe to print in [`text`]. Versions of Kubernetes, as clusters and bundles
//! write them, are compared in [`kubernetes`]. The APIs that its releases removed are in [`removed`].
//!
//! Fixed words for programs, such as reasons, are enums that [`codes!`] defines. Each word has a
//! description.
//!
//! Objects of a cluster are named by [`ObjectRef`], [`Key`], [`Gvk`] and [`GroupKind`]. A
//! [`FieldChange`] is a change of one field, as a command and as a file.
//!
//! The crate does not handle catalogs, edges of channels or clusters, and reads only its arguments.
//! The crates `catalog`, `graph` and `resolve`, which use this crate, decide which of two bundles
//! is newer and which range belongs to which edge.
//!
//! ```
//! use portolan_core_names::{BundleName, Version, VersionRange};
//!
//! let skip_range: VersionRange = ">=1.2.0 <1.4.0".parse()?;
//! let installed: Version = "1.3.2+build.7".parse()?;
//! assert!(skip_range.matches(&installed));
//!
//! // Bundle names are opaque; a version is never read out of one.
//! let bundle: BundleName = "quay-operator.v3.6.10".parse()?;
//! assert_eq!(bundle.as_str(), "quay-operator.v3.6.10");
//!
//! let refusal = VersionRange::parse("<v1.19.1").unwrap_err();
//! assert_eq!(refusal.column(), 2);
//! assert_eq!(refusal.flaw().to_string(), r#"a version starts with a digit; write "1.19.1""#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod change;
mod codes;
mod conversions;
mod invalid_text;

pub mod consent;
pub mod kubernetes;
pub mod name;
pub mod object;
pub mod range;
pub mod removed;
pub mod requirement;
pub mod text;
pub mod trouble;
pub mod version;

pub use change::{AddressedObject, FieldChange, FieldValue};
pub use codes::WireCode;
pub use consent::Consent;
pub use invalid_text::InvalidText;
pub use name::{BundleName, CatalogName, ChannelName, PackageName, nearest};
pub use object::{GroupKind, Gvk, Key, ObjectRef};
pub use range::VersionRange;
pub use requirement::Requirement;
pub use version::{Release, Version};
