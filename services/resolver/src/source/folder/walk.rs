//! The catalog files of a folder.

use std::io;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};
use portolan_core_catalog::Reader;
use portolan_world::settle::Stamps;

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
        return Ok(Found::look(root.to_owned()).into_iter().collect());
    }
    std::fs::read_dir(root)?;
    let found = entries(root).filter_map(|entry| match entry {
        Ok(entry) => {
            let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
            let path = entry.into_path();
            (is_file && is_catalog(&path)).then(|| Found::look(path))?
        }
        Err(error) => Some(Found {
            path: place(&error).unwrap_or(root).to_owned(),
            closed: Some(error.to_string()),
        }),
    });
    Ok(found.collect())
}

/// The stamps of all that [`walk`] reads or goes by, and of nothing else: what somebody does with
/// other files there, a log or a checkout, is no change of the catalog.
pub(super) fn stamps(root: &Path) -> Stamps {
    match std::fs::metadata(root) {
        Ok(metadata) if metadata.is_dir() => {
            let counts = |path: &Path| {
                let is_ignore_file = path.file_name().is_some_and(|name| name == IGNORE_FILE);
                is_ignore_file || is_catalog(path) || path.is_dir() && !path.is_symlink()
            };
            let paths = entries(root).filter_map(Result::ok);
            let paths = paths.map(DirEntry::into_path);
            Stamps::of_paths(paths.filter(|path| counts(path)))
        }
        Ok(_) => Stamps::of_paths([root.to_owned()]),
        Err(_) => Stamps::default(),
    }
}

fn entries(root: &Path) -> impl Iterator<Item = Result<DirEntry, ignore::Error>> {
    WalkBuilder::new(root)
        .standard_filters(false)
        .add_custom_ignore_filename(IGNORE_FILE)
        .filter_entry(|entry| entry.depth() == 0 || !is_machinery(entry.path()))
        .sort_by_file_path(Path::cmp)
        .build()
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
    /// None for a link to a folder. Pipes and devices might never end, and are not opened.
    fn look(path: PathBuf) -> Option<Self> {
        let closed = match std::fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => return None,
            Ok(metadata) if metadata.is_file() => None,
            Ok(_) => Some("it is no regular file".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        Some(Self { path, closed })
    }
}
