//! What lies in a folder, and when it was changed.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ignore::WalkBuilder;
use portolan_catalog::Reader;

/// Names the files of a folder that do not count, as `.gitignore` does.
const IGNORE_FILE: &str = ".indexignore";

/// A file that is changed twice within one tick of the file system's clock may have the same stamp
/// both times. No clock of a file system is as coarse as this.
const TICK: Duration = Duration::from_secs(2);

/// A file, or something that cannot be looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
}

/// What changes when a file does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stamp {
    /// The device, the inode, the length, and when it was last changed.
    File {
        id: (u64, u64),
        length: u64,
        changed: (i64, i64),
    },
    /// It cannot be looked at, and why.
    Closed(String),
}

/// The catalog files below `root`, by path.
///
/// Links to files are followed and links to folders are not, like opm does it. What begins with
/// two dots is how Kubernetes keeps the content of a mounted volume, which its links lead to.
pub(super) fn scan(root: &Path) -> io::Result<Vec<Found>> {
    let metadata = std::fs::metadata(root)?;
    if !metadata.is_dir() {
        return Ok(vec![Found {
            path: root.to_owned(),
            stamp: Stamp::of(&metadata),
        }]);
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
            (is_file && is_catalog(entry.path())).then(|| look(entry.into_path()))?
        }
        Err(error) => Some(Found {
            path: place(&error).unwrap_or(root).to_owned(),
            stamp: Stamp::Closed(error.to_string()),
        }),
    });
    Ok(found.collect())
}

/// None for a link to a folder.
fn look(path: PathBuf) -> Option<Found> {
    let stamp = match std::fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => return None,
        Ok(metadata) => Stamp::of(&metadata),
        Err(error) => Stamp::Closed(error.to_string()),
    };
    Some(Found { path, stamp })
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

// === impl Stamp ===

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self::File {
            id: (metadata.dev(), metadata.ino()),
            length: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether a file that is read now says the same as long as it has this stamp.
    pub(super) fn is_final(&self) -> bool {
        let Self::File { changed, .. } = self else {
            return false;
        };
        let changed = Duration::new(changed.0.unsigned_abs(), changed.1.unsigned_abs() as u32);
        let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH + changed);
        age.is_ok_and(|age| age > TICK)
    }
}
