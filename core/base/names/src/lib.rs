//! Types for the texts of an operator catalog: names, versions, releases and version ranges. Also
//! references to objects of a cluster.
//!
//! Portolan parses each text from a catalog, a manifest or a command line once, when it reads the
//! text. Later code uses these types and never parses the text again. None of these types can
//! contain a text that its `parse` rejects.
//!
//! | Type | Contains | Compared by |
//! |---|---|---|
//! | [`CatalogName`], [`PackageName`] | a Kubernetes object name | text |
//! | [`ChannelName`], [`BundleName`] | a name that a catalog author chose | text |
//! | [`Version`] | a strict semantic version | precedence: `1.0.0+a` equals `1.0.0+b` |
//! | [`Release`] | the rebuild number of a bundle | precedence, as of prereleases |
//! | [`VersionRange`] | a version range in the syntax of OLM | the set of matching versions |
//! | [`Requirement`] | a requested package: `package@range channel=… catalog=…` | its parts |
//! | [`Consent`] | a permission to install: a bundle, `package@range`, `*` | its parts |
//!
//! Each type has `parse`, [`FromStr`](std::str::FromStr), `TryFrom` of text, and
//! [`Display`](std::fmt::Display), which returns the original text. Serde uses the same functions.
//! The error type is [`InvalidText`]. Its message contains the value, the position and the remedy,
//! so it fits into a status condition or on a terminal.
//!
//! The module [`trouble`] has sentences about problems that several crates report.
//!
//! The module [`text`] makes text from other programs safe to print. The module [`kubernetes`]
//! compares Kubernetes versions of clusters and bundles. The module [`removed`] lists the APIs that
//! Kubernetes releases removed.
//!
//! The macro [`codes!`] defines enums of fixed words for programs, such as reasons. Each word has a
//! description.
//!
//! [`ObjectRef`], [`Key`], [`Gvk`] and [`GroupKind`] identify objects of a cluster. A
//! [`FieldChange`] is a change of one field, as a command and as a manifest.
//!
//! The crate reads only its arguments. It handles no catalogs, channel edges or clusters. Other
//! crates, such as `catalog` and `graph`, decide which of two bundles is newer and which range
//! belongs to an update edge.
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
