//! A catalog in a folder of files.

mod files;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use portolan_core_catalog::{Catalog, Defect, Fault, Reader, Reading};
use portolan_world::settle::{Stamp, Stamps};
use thiserror::Error;

use self::files::CatalogFile;

pub(super) use self::files::{IGNORE_FILE, document_in, pour, unpacked};
pub use self::files::{ReadDocument, document};

/// The maximum number of attempts to read a folder that changes while it is read.
const TRIES: usize = 20;

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// The reason why a folder cannot be read.
#[derive(Debug, Error)]
pub enum ReadFolder {
    /// The path does not exist, or cannot be opened.
    #[error("cannot read {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    /// A file of the folder cannot be read now.
    #[error("cannot read {}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// The folder had packages before and has none now. This is probably a mistake, or the folder
    /// is being written.
    #[error("{} no longer contains packages", .0.display())]
    Emptied(PathBuf),
    /// The path looks like the name of an image.
    #[error("{0} does not exist; if it is an image, write oci://{0}")]
    Image(String),
    /// The path is a pipe or a device, which can only be read once.
    #[error(
        "{} is neither a file nor a folder: save its output to a file, such as catalog.yaml, and \
         use this file",
        .0.display()
    )]
    Irregular(PathBuf),
    /// The folder contains no catalog file.
    #[error(
        "no catalog file found in {}; names of catalog files end in {}",
        .0.display(),
        Reader::endings()
    )]
    NoFiles(PathBuf),
    /// The files contain no document of a catalog.
    #[error(
        "{} is not a catalog: no document in {files} contains an olm.package",
        path.display()
    )]
    NoCatalog { path: PathBuf, files: String },
    /// The folder has no packages, and an error in its files may be the reason.
    #[error("no package can be read in {}: {why}", path.display())]
    Unread { path: PathBuf, why: String },
    /// The files change each time they are read.
    #[error("the files in {} change faster than they can be read", .0.display())]
    Restless(PathBuf),
}

/// The content of a folder, or of a single file. Unchanged files are not read again.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    kept: BTreeMap<PathBuf, ReadFile>,
}

/// A file that was read, with its stamp at that time. The content is None if the file cannot be
/// opened.
#[derive(Debug, Clone)]
struct ReadFile {
    stamp: Option<Stamp>,
    reading: Arc<Reading>,
}

/// Reads a folder once. A file that cannot be read is reported as a fault of the catalog. Returns
/// an error only if `root` does not exist.
///
/// # Errors
///
/// Returns an error if `root` does not exist, or changes faster than it can be read.
pub fn read(root: &Path) -> Result<Catalog, ReadFolder> {
    let mut folder = Folder::new(root.to_owned());
    let mut stamps = look(root);
    for _ in 0..TRIES {
        let catalog = folder.read(&stamps)?;
        let after = look(root);
        if after == stamps {
            return Ok(catalog);
        }
        stamps = after;
        thread::sleep(PAUSE);
    }
    Err(ReadFolder::Restless(root.to_owned()))
}

/// Reads a catalog once, from a path that a user has named.
///
/// # Errors
///
/// Returns the same errors as [`read`], and an error if the path contains no catalog.
pub fn read_given(root: &Path) -> Result<Catalog, ReadFolder> {
    let path = || root.to_owned();
    let metadata = fs::metadata(root).map_err(|source| open(root, source))?;
    if !metadata.is_dir() && !metadata.is_file() {
        return Err(ReadFolder::Irregular(path()));
    }
    let catalog = read(root)?;
    if !catalog.packages.is_empty() {
        return Ok(catalog);
    }
    let is_unread = |fault: &&Fault| matches!(fault.defect, Defect::Unreadable(_));
    if let Some(fault) = catalog.faults.iter().find(is_unread) {
        let why = fault.to_string();
        return Err(ReadFolder::Unread { path: path(), why });
    }
    if !catalog.faults.is_empty() {
        return Ok(catalog);
    }
    let files = files::walk(root).map_err(|source| open(root, source))?;
    Err(match files.len() {
        0 => ReadFolder::NoFiles(path()),
        1 => ReadFolder::NoCatalog {
            path: path(),
            files: "its only file".to_owned(),
        },
        several => ReadFolder::NoCatalog {
            path: path(),
            files: format!("its {several} files"),
        },
    })
}

/// Returns the error for a path that cannot be opened. The error has a hint if the path looks like
/// the name of an image.
pub(super) fn open(root: &Path, source: io::Error) -> ReadFolder {
    let name = root.to_string_lossy();
    if source.kind() == io::ErrorKind::NotFound && reads_like_an_image(&name) {
        return ReadFolder::Image(name.into_owned());
    }
    ReadFolder::Open {
        path: root.to_owned(),
        source,
    }
}

/// Returns true if a path looks like the name of an image: `host/repository:tag` or
/// `host/repository@digest`.
fn reads_like_an_image(name: &str) -> bool {
    let Some((host, rest)) = name.split_once('/') else {
        return false;
    };
    let is_host = !host.starts_with('.') && host.contains(['.', ':']);
    let last = rest.rsplit('/').next().unwrap_or(rest);
    is_host && last.contains([':', '@'])
}

/// Copies the files of a catalog to the same relative paths. The error contains the path that
/// failed.
pub(super) fn copy(root: &Path, to: &Path) -> Result<(), (PathBuf, io::Error)> {
    let files = files::walk(root).map_err(|error| (root.to_owned(), error))?;
    for CatalogFile { path, closed } in files {
        // A file that cannot be opened is a fault of the catalog. The file may be a pipe, and
        // reading it might never end.
        if closed.is_some() {
            continue;
        }
        let place = match path.strip_prefix(root) {
            Ok(below) if below != Path::new("") => to.join(below),
            // A file that a user names directly may have any name, so the copy gets a name that is
            // recognized as a catalog file.
            _ => to.join(format!("catalog.yaml{}", files::packing(&path).ending())),
        };
        let folder = place.parent().unwrap_or(to);
        let made = fs::create_dir_all(folder);
        made.and_then(|()| fs::copy(&path, &place).map(drop))
            .map_err(|error| (place.clone(), error))?;
    }
    Ok(())
}

/// Returns the stamps of the files that belong to a catalog.
pub(crate) fn look(root: &Path) -> Stamps {
    files::stamps(root)
}

// === impl Folder ===

impl Folder {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            root,
            kept: BTreeMap::new(),
        }
    }

    /// Reads the files whose stamps have changed. The caller checks afterward that the stamps are
    /// still the same.
    pub(crate) fn read(&mut self, stamps: &Stamps) -> Result<Catalog, ReadFolder> {
        let found = files::walk(&self.root).map_err(|source| open(&self.root, source))?;
        self.kept = self.keep(&found, stamps)?;
        Ok(Catalog::of(self.kept.values().map(|kept| &*kept.reading)))
    }

    /// Reads files in parallel, with one thread for each processor.
    fn keep(
        &self,
        found: &[CatalogFile],
        stamps: &Stamps,
    ) -> Result<BTreeMap<PathBuf, ReadFile>, ReadFolder> {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let next = AtomicUsize::new(0);
        let read_on = || {
            let take = || found.get(next.fetch_add(1, Ordering::Relaxed));
            let read = || take().map(|found| self.reading(found, stamps));
            std::iter::from_fn(read).collect::<Vec<_>>()
        };
        thread::scope(|scope| {
            let others = 1..processors.min(found.len());
            let running: Vec<_> = others.map(|_| scope.spawn(read_on)).collect();
            let mut kept = read_on();
            for other in running {
                kept.extend(other.join().expect("reading a catalog file must not panic"));
            }
            kept.into_iter().collect()
        })
    }

    fn reading(
        &self,
        found: &CatalogFile,
        stamps: &Stamps,
    ) -> Result<(PathBuf, ReadFile), ReadFolder> {
        let path = &found.path;
        let stamp = stamps.of_path(&found.path);
        let known = self.kept.get(&found.path);
        let known = known.filter(|kept| stamp.is_some() && kept.stamp == stamp);
        if let Some(kept) = known {
            return Ok((path.clone(), kept.clone()));
        }
        let reading = files::read(&self.root, found).map_err(|source| ReadFolder::File {
            path: path.clone(),
            source,
        })?;
        let reading = Arc::new(reading);
        Ok((path.clone(), ReadFile { stamp, reading }))
    }
}

#[cfg(test)]
mod tests {
    use portolan_kit::catalog;

    use super::*;

    #[test]
    fn only_a_changed_file_is_read_again() {
        let root = catalog("a: 1.0.0; b: 1.0.0").temp();
        let mut folder = Folder::new(root.to_path_buf());
        let before = folder.read(&look(&root)).expect("a folder");
        let readings = folder.kept.clone();

        let changed = root.join("b/catalog.yaml");
        std::fs::write(&changed, catalog("b: 1.0.0 -> 1.1.0").to_yaml()).expect("a file");
        let after = folder.read(&look(&root)).expect("a folder");

        let is_same =
            |path: &Path| Arc::ptr_eq(&readings[path].reading, &folder.kept[path].reading);
        assert_eq!(
            [is_same(&root.join("a/catalog.yaml")), is_same(&changed)],
            [true, false]
        );
        assert_ne!(before.digest, after.digest);
        assert_eq!(before.packages["a"], after.packages["a"]);
    }

    fn refusal(root: &Path) -> String {
        let why = read_given(root).expect_err("no catalog").to_string();
        why.replace(&*root.to_string_lossy(), "ROOT")
    }

    #[test]
    fn folder_without_catalog_files_is_refused_with_its_reason() {
        let root = portolan_kit::TempFolder::empty();
        let none = "no catalog file found in ROOT; names of catalog files end in .yaml, .yml, \
         .json or .jsonl, optionally followed by .gz";
        assert_eq!(refusal(&root), none);
        fs::write(root.join("catalog.tar.gz"), "x").expect("a file");
        assert_eq!(refusal(&root), none);
        fs::write(root.join("other.yaml"), "").expect("a file");
        let nothing = "ROOT is not a catalog: no document in its only file contains an olm.package";
        assert_eq!(refusal(&root), nothing);
        assert_eq!(refusal(&root.join("other.yaml")), nothing);
        fs::write(root.join("more.json"), "").expect("a file");
        let two = "ROOT is not a catalog: no document in its 2 files contains an olm.package";
        assert_eq!(refusal(&root), two);
        let broken = root.join("broken.yaml");
        fs::write(&broken, "schema: [olm.package\n").expect("a file");
        let faults = read_given(&root).expect("a catalog with a fault").faults;
        assert_eq!(faults.len(), 1, "{faults:?}");
    }

    #[test]
    fn pipe_and_image_are_rejected_with_the_remedy() {
        let device = "ROOT is neither a file nor a folder: save its output to a file, such as \
            catalog.yaml, and use this file";
        assert_eq!(refusal(Path::new("/dev/null")), device);
        let image = "ROOT does not exist; if it is an image, write oci://ROOT";
        for name in [
            "quay.test/harbor/catalog:latest",
            "localhost:5000/c@sha256:00",
        ] {
            assert_eq!(refusal(Path::new(name)), image);
        }
        for name in ["./a.b/c:d", "catalog:latest", "nowhere/at.all"] {
            assert_eq!(refusal(Path::new(name)), "cannot read ROOT");
        }
    }
}
