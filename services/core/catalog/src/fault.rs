//! What is wrong with a catalog, and where.

use std::fmt;

use portolan_names::{BundleName, ChannelName, PackageName};
use thiserror::Error;

/// One thing that could not be taken over, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file, as the reader was told.
    pub file: String,
    /// The line, counted from 1: of the trouble itself if it is known, else of its document.
    pub line: u64,
    /// The package that the document belongs to, where that much could be read.
    pub package: Option<String>,
    /// What is wrong.
    pub trouble: Trouble,
}

/// What can be wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Trouble {
    /// Neither YAML nor JSON, or a value of another type than its key has.
    #[error("{0}")]
    Syntax(String),
    /// A key that the schema needs is missing.
    #[error("{schema} has no `{key}`")]
    Missing {
        /// The schema of the document.
        schema: String,
        /// The missing key.
        key: &'static str,
    },
    /// A name, version or range that is none; the sentence of its refusal.
    #[error("`{key}`: {refusal}")]
    Refused {
        /// The key that holds it.
        key: &'static str,
        /// What is wrong with it.
        refusal: String,
    },
    /// The same package twice.
    #[error("package {0} stands in the catalog a second time; the first one counts")]
    SecondPackage(PackageName),
    /// The same channel twice.
    #[error("channel {0} stands in its package a second time; the first one counts")]
    SecondChannel(ChannelName),
    /// The same entry twice.
    #[error("entry {0} stands in its channel a second time; the first one counts")]
    SecondEntry(BundleName),
    /// The same bundle twice.
    #[error("bundle {0} stands in its package a second time; the first one counts")]
    SecondBundle(BundleName),
    /// Channels or bundles of a package that has no `olm.package`.
    #[error("package {0} has no olm.package document")]
    NoPackage(PackageName),
}

// === impl Fault ===

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            package,
            trouble,
        } = self;
        write!(f, "{file}:{line}: ")?;
        if let Some(package) = package {
            write!(f, "package {package}: ")?;
        }
        write!(f, "{trouble}")
    }
}
