//! Where in its source a document stands.

use std::sync::Arc;

/// The place of a document, so that what was not kept of it can be read again.
///
/// Offset and length count bytes of the content: of what a zipped file unzips to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, as the reader was told.
    pub file: Arc<str>,
    /// The line that the document begins in, counted from 1.
    pub line: u64,
    /// How many bytes of the file stand before it.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
}
