//! A catalog in a folder of files.

mod document;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use flate2::bufread::MultiGzDecoder;
use ignore::WalkBuilder;
use portolan_catalog::{Catalog, Reader, Reading};
use thiserror::Error;

pub use self::document::{ReadDocument, document};

/// Names the files of a folder that do not count, as `.gitignore` does.
const IGNORE_FILE: &str = ".indexignore";

/// How much of a file is held beside the document being read.
const BUFFER: usize = 128 << 10;

/// A place that cannot be read.
#[derive(Debug, Error)]
#[error("read {}", path.display())]
pub struct ReadCatalog {
    path: PathBuf,
    source: io::Error,
}

/// What lies in a folder.
enum Found {
    File(PathBuf),
    /// A folder or link that cannot be looked into, and why.
    Closed(PathBuf, String),
}

/// Reads a folder with all that is below it, or a single file. A file that cannot be read is a
/// fault of the catalog; only if there is nothing at `root` there is no catalog.
pub(super) fn read(root: &Path) -> Result<Catalog, ReadCatalog> {
    let failed = |source| ReadCatalog {
        path: root.to_owned(),
        source,
    };
    let found = match std::fs::metadata(root).map_err(failed)?.is_dir() {
        true => {
            std::fs::read_dir(root).map_err(failed)?;
            files(root)
        }
        false => vec![Found::File(root.to_owned())],
    };
    Ok(Catalog::of(readings(root, &found)))
}

/// The catalog files below `root`, by path.
///
/// Links to files are followed and links to folders are not, like opm does it. What begins with
/// two dots is how Kubernetes keeps the content of a mounted volume, which its links lead to.
fn files(root: &Path) -> Vec<Found> {
    let walk = WalkBuilder::new(root)
        .standard_filters(false)
        .add_custom_ignore_filename(IGNORE_FILE)
        .filter_entry(|entry| entry.depth() == 0 || !is_machinery(entry.path()))
        .sort_by_file_path(Path::cmp)
        .build();
    walk.filter_map(|entry| match entry {
        Ok(entry) => {
            let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
            let path = entry.into_path();
            (is_file && is_catalog(&path) && !path.is_dir()).then_some(Found::File(path))
        }
        Err(error) => Some(Found::Closed(root.to_owned(), error.to_string())),
    })
    .collect()
}

fn is_machinery(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with(".."))
}

fn is_catalog(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| Reader::reads(&name.to_string_lossy()))
}

/// Reads files side by side, as many at once as there are processors.
fn readings(root: &Path, found: &[Found]) -> Vec<Reading> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let read_on = || {
        let take = || found.get(next.fetch_add(1, Ordering::Relaxed));
        std::iter::from_fn(|| take().map(|found| reading(root, found))).collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let others = 1..processors.min(found.len());
        let running: Vec<_> = others.map(|_| scope.spawn(read_on)).collect();
        let mut readings = read_on();
        for other in running {
            readings.extend(other.join().expect("reading a catalog file must not panic"));
        }
        readings
    })
}

fn reading(root: &Path, found: &Found) -> Reading {
    let path = match found {
        Found::File(path) => path,
        Found::Closed(path, why) => return Reader::new(&shown(root, path)).break_off(why),
    };
    let mut reader = Reader::new(&shown(root, path));
    match feed(path, &mut reader) {
        Ok(()) => reader.finish(),
        Err(error) => reader.break_off(&error.to_string()),
    }
}

/// A file as faults name it: by its way from the root, for another replica may have the same
/// catalog in another place.
fn shown(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let shown = match inside.as_os_str().is_empty() {
        true => path.file_name().unwrap_or(path.as_os_str()),
        false => inside.as_os_str(),
    };
    shown.to_string_lossy().into_owned()
}

fn feed(path: &Path, reader: &mut Reader) -> io::Result<()> {
    let file = BufReader::with_capacity(BUFFER, File::open(path)?);
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => pour(
            BufReader::with_capacity(BUFFER, MultiGzDecoder::new(file)),
            reader,
        ),
        false => pour(file, reader),
    }
}

fn pour(mut from: impl BufRead, reader: &mut Reader) -> io::Result<()> {
    loop {
        let bytes = from.fill_buf()?;
        let read = bytes.len();
        if read == 0 || reader.feed(bytes).is_break() {
            return Ok(());
        }
        from.consume(read);
    }
}
