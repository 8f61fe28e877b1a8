//! Temporary folders for tests.

use std::ops::Deref;
use std::path::Path;

use tempfile::TempDir;

/// A temporary folder. Dropping this value removes the folder. Dereferences to a [`Path`].
#[derive(Debug)]
pub struct TempFolder(TempDir);

impl TempFolder {
    /// Creates an empty folder.
    ///
    /// # Panics
    /// Panics if the system cannot create a folder.
    pub fn empty() -> Self {
        Self(tempfile::tempdir().expect("the system must have room for a temporary folder"))
    }
}

impl Deref for TempFolder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for TempFolder {
    fn as_ref(&self) -> &Path {
        self.0.path()
    }
}

/// Writes `text` to `path`, and creates its parent folders.
pub(crate) fn write(path: &Path, text: &str) {
    let written = match path.parent() {
        Some(folder) => std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text)),
        None => std::fs::write(path, text),
    };
    written.unwrap_or_else(|error| panic!("{} must be writable: {error}", path.display()));
}
