//! Where the content of a catalog was read from, for what was not kept of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the content of a catalog was read from.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A folder of files, or a single one.
    Folder(Arc<Path>),
}

// === impl Origin ===

impl Origin {
    /// A folder of files, or a single one.
    pub fn folder(root: PathBuf) -> Self {
        Self::Folder(root.into())
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Folder(one), Self::Folder(other)) => one == other,
        }
    }
}
