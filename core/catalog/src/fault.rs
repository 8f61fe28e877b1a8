//! What is wrong with a catalog, and where.

mod trouble;

use std::fmt;
use std::sync::Arc;

pub use self::trouble::{Schema, Trouble};

/// One thing that is not as it should be, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The file, as the reader was told.
    pub file: Arc<str>,
    /// The line, counted from 1: of the trouble itself if it is known, else of its document.
    pub line: u64,
    /// The package that the document belongs to, where that much could be read.
    pub package: Option<String>,
    /// What of the package it is, such as `channel stable, entry a.v1.0.0`; often empty.
    pub subject: String,
    /// What is wrong.
    pub trouble: Trouble,
}

/// How bad a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// opm refuses the whole catalog for it.
    Error,
    /// opm serves the catalog, and something in it is not as its author meant it.
    Warning,
    /// Legal, often meant, and good to know.
    Note,
}

// === impl Severity ===

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

// === impl Fault ===

impl Fault {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.trouble.severity()
    }
}

/// One line whatever the catalog holds: names come escaped.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            package,
            subject,
            trouble,
        } = self;
        write!(f, "{}:{line}: ", file.escape_debug())?;
        if let Some(package) = package {
            write!(f, "package {}", package.escape_debug())?;
            if !subject.is_empty() {
                write!(f, ", {}", subject.escape_debug())?;
            }
            f.write_str(": ")?;
        }
        write!(f, "{trouble}")
    }
}
