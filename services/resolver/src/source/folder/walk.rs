//! The catalog files of a folder.

use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use portolan_catalog::Reader;

/// Names the files of a folder that do not count, as `.gitignore` does.
const IGNORE_FILE: &str = ".indexignore";

/// A catalog file, or something that cannot be looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// Why it cannot be looked into, if so.
    pub(super) closed: Option<String>,
}

/// The catalog files below `root`, by path; `root` itself if it is a file.
///
/// Links to files are followed and links to folders are not, like opm does it. What begins with
/// two dots is how Kubernetes keeps the content of a mounted volume, which its links lead to.
pub(super) fn walk(root: &Path) -> io::Result<Vec<Found>> {
    if !std::fs::metadata(root)?.is_dir() {
        return Ok(vec![Found::file(root.to_owned())]);
    }
    std::fs::read_dir(root)?;
    let walk = WalkBuilder::new(root)
        .standard_filters(false)
        .add_custom_ignore_filename(IGNORE_FILE)
        .filter_entry(|entry| entry.depth() == 0 || !is_machinery(entry.path()))
        .sort_by_file_path(Path::cmp)
        .build();
    let found = walk.filter_map(|entry| match entry {
        Ok(entry) => {
            let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
            let path = entry.into_path();
            (is_file && is_catalog(&path) && !path.is_dir()).then(|| Found::file(path))
        }
        Err(error) => Some(Found {
            path: place(&error).unwrap_or(root).to_owned(),
            closed: Some(error.to_string()),
        }),
    });
    Ok(found.collect())
}

fn place(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            place(err)
        }
        _ => None,
    }
}

fn is_machinery(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with(".."))
}

fn is_catalog(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| Reader::reads(&name.to_string_lossy()))
}

// === impl Found ===

impl Found {
    fn file(path: PathBuf) -> Self {
        Self { path, closed: None }
    }
}
