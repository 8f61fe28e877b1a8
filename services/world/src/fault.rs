//! The faults of objects, and of documents that should contain an object.

use std::fmt;
use std::path::PathBuf;

use crate::Key;

/// A fault in an object or in a file. It affects only the objects at its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorldFault {
    /// The location of the fault.
    pub place: FaultPlace,
    /// A description of the fault, as a sentence.
    pub why: String,
}

/// The location of a fault.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultPlace {
    /// The fault is in an object of a cluster.
    Object(Key),
    /// The fault is in a file.
    File {
        /// The file.
        file: PathBuf,
        /// The line of the fault, counted from 1. If this line is unknown, the first line of the
        /// document.
        line: u64,
        /// The object with the fault. None if the object cannot be identified.
        object: Option<Key>,
    },
}

impl FaultPlace {
    pub(crate) fn is_of(&self, key: &Key) -> bool {
        match self {
            Self::Object(object) => object == key,
            Self::File { object, .. } => object.as_ref() == Some(key),
        }
    }
}

impl fmt::Display for FaultPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(key) => write!(f, "{key}"),
            Self::File { file, line, object } => {
                write!(f, "{}:{line}", file.display().to_string().escape_debug())?;
                object.iter().try_for_each(|key| write!(f, ": {key}"))
            }
        }
    }
}

impl fmt::Display for WorldFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, why } = self;
        write!(f, "{place}: {why}")
    }
}
