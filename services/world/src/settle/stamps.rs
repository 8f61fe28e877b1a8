//! Stamps of files. They show if a folder has changed without reading the files.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use portolan_shell::platform;
use walkdir::WalkDir;

use super::is_machinery;

/// The metadata that shows if a file or folder has changed. The operating system changes one of
/// these fields with each change, and no program can restore the old values. The time is the change
/// time of the inode. Copying tools can restore the modification time of the content, but not the
/// change time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The length in bytes.
    pub len: u64,
    /// The time of the last change of the inode, since 1970.
    pub changed: Duration,
    /// The number of the file system and the number of the inode.
    pub inode: (u64, u64),
    is_file: bool,
    is_folder: bool,
}

/// The stamps of a file, or of all files and folders in a folder, by path. Links are followed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamps {
    /// The stamps by path. None for a path that cannot be opened, and for a broken link.
    stamps: BTreeMap<PathBuf, Option<Stamp>>,
}

// === impl Stamp ===

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            len: metadata.len(),
            changed: platform::changed(metadata),
            inode: platform::file_identity(metadata),
            is_file: metadata.is_file(),
            is_folder: metadata.is_dir(),
        }
    }
}

// === impl Stamps ===

impl Stamps {
    /// Returns the stamps of all paths at `root`. Skips names that begin with two dots, because
    /// Kubernetes uses them for the targets of its links. Also skips bundles, because their objects
    /// are not in the cluster.
    pub fn of(root: &Path) -> Self {
        let walk = WalkDir::new(root).follow_links(true).into_iter();
        let shown = walk.filter_entry(|entry| {
            let path = entry.path();
            entry.depth() == 0 || !is_machinery(path) && !is_bundle(path)
        });
        let mut stamps = BTreeMap::new();
        for entry in shown {
            match entry {
                Ok(entry) => {
                    let metadata = entry.metadata().ok();
                    stamps.insert(entry.into_path(), metadata.as_ref().map(Stamp::of));
                }
                Err(error) => {
                    if let Some(path) = error.path().filter(|path| *path != root) {
                        stamps.insert(path.to_owned(), None);
                    }
                }
            }
        }
        Self { stamps }
    }

    /// Returns the stamps of these files and folders.
    pub fn of_paths(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let stamps = paths.into_iter().map(|path| {
            let metadata = std::fs::metadata(&path).ok();
            (path, metadata.as_ref().map(Stamp::of))
        });
        Self {
            stamps: stamps.collect(),
        }
    }

    /// Returns true if the root exists.
    pub fn exists(&self) -> bool {
        !self.stamps.is_empty()
    }

    /// Returns the regular files by path. Pipes and devices are left out, because reading them may
    /// never end.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &Stamp)> {
        self.stamps.iter().filter_map(|(path, stamp)| {
            let stamp = stamp.as_ref().filter(|stamp| stamp.is_file)?;
            Some((path.as_path(), stamp))
        })
    }

    /// Returns the paths of special files such as pipes and devices. They are not opened.
    pub fn endless(&self) -> impl Iterator<Item = &Path> {
        let stamps = self.stamps.iter();
        let endless = stamps
            .filter(|(_, stamp)| stamp.is_some_and(|stamp| !stamp.is_file && !stamp.is_folder));
        endless.map(|(path, _)| path.as_path())
    }

    /// Returns the stamp of a file or folder. Returns None if the path does not exist or cannot be
    /// opened.
    pub fn of_path(&self, path: &Path) -> Option<Stamp> {
        self.stamps.get(path).copied().flatten()
    }

    /// Returns the paths that cannot be opened.
    pub fn closed(&self) -> impl Iterator<Item = &Path> {
        let closed = self.stamps.iter().filter(|(_, stamp)| stamp.is_none());
        closed.map(|(path, _)| path.as_path())
    }

    /// Returns true if the last change is at least this old. A deletion changes the time of the
    /// folder. If no path exists, the time of the last change is unknown, and the result is false.
    pub(crate) fn is_quiet_for(&self, so_long: Duration) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let last = self.stamps.values().flatten().map(|stamp| stamp.changed);
        match (now, last.max()) {
            // The clock of a file server may be ahead of the local clock.
            (Ok(now), Some(last)) => now.checked_sub(last).is_some_and(|ago| ago >= so_long),
            _ => false,
        }
    }
}

/// Returns true if a folder has the files of a bundle.
fn is_bundle(path: &Path) -> bool {
    path.join("metadata/annotations.yaml").is_file() && path.join("manifests").is_dir()
}
