//! The catalog files of a folder.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use ignore::{DirEntry, WalkBuilder};
use portolan_core_catalog::{CatalogPlace, Packing, Reader, Reading};
use portolan_world::settle::Stamps;
use thiserror::Error;

/// The name of the file that lists the ignored files of a folder, in the format of `.gitignore`.
pub(in crate::source) const IGNORE_FILE: &str = ".indexignore";

/// A catalog file, or a path that cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CatalogFile {
    pub(super) path: PathBuf,
    /// The reason why the path cannot be opened. None if the path can be opened.
    pub(super) closed: Option<String>,
}

/// Returns the catalog files below `root`, ordered by path. Returns `root` itself if it is a file.
///
/// Links to files are followed, and links to folders are not. This is the same as in opm. Names
/// that start with two dots are skipped. Kubernetes uses such names for the content of a mounted
/// volume, and other names link to this content.
pub(super) fn walk(root: &Path) -> io::Result<Vec<CatalogFile>> {
    if !std::fs::metadata(root)?.is_dir() {
        return Ok(CatalogFile::look(root.to_owned()).into_iter().collect());
    }
    std::fs::read_dir(root)?;
    let found = entries(root).filter_map(|entry| match entry {
        Ok(entry) => {
            let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
            let path = entry.into_path();
            (is_file && is_catalog(&path)).then(|| CatalogFile::look(path))?
        }
        Err(error) => Some(CatalogFile {
            path: place(&error).unwrap_or(root).to_owned(),
            closed: Some(error.to_string()),
        }),
    });
    Ok(found.collect())
}

/// Returns the stamps of the files that [`walk`] reads or depends on. Other files in the folder,
/// such as a log file, do not affect the catalog.
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

// === impl CatalogFile ===

impl CatalogFile {
    /// Returns the catalog file at a path. Returns None for a link to a folder. Pipes and devices
    /// are not opened, because reading them may never end.
    fn look(path: PathBuf) -> Option<Self> {
        let closed = match std::fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => return None,
            Ok(metadata) if metadata.is_file() => None,
            Ok(_) => Some("it is not a regular file".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        Some(Self { path, closed })
    }
}

/// The maximum number of bytes of a file that are buffered in addition to the current document.
const BUFFER: usize = 128 << 10;

/// Reads a file. If the file cannot be read and a retry would fail too, returns a fault of the
/// catalog. Otherwise, returns an error.
pub(super) fn read(root: &Path, found: &CatalogFile) -> io::Result<Reading> {
    let mut reader = Reader::new(&shown(root, &found.path));
    if let Some(why) = &found.closed {
        return Ok(reader.break_off(why));
    }
    match feed(&found.path, &mut reader) {
        Ok(()) => Ok(reader.finish()),
        Err(error) if is_lasting(&error) => Ok(reader.break_off(&error.to_string())),
        Err(error) => Err(error),
    }
}

/// Returns true if the file itself causes the error. Returns false for errors of a disk, a file
/// server or a limit of this process. For invalid bytes, a decoder must return `InvalidData` or
/// `UnexpectedEof`, as the gzip decoder does.
fn is_lasting(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::NotFound
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::IsADirectory
    )
}

/// Returns the name of a file in faults. This is the path relative to the root, because the
/// absolute path may differ between replicas.
fn shown(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let shown = if inside.as_os_str().is_empty() {
        path.file_name().unwrap_or(path.as_os_str())
    } else {
        inside.as_os_str()
    };
    shown.to_string_lossy().into_owned()
}

/// Returns the compression of a file according to its name.
pub(super) fn packing(path: &Path) -> Packing {
    let name = path.file_name().unwrap_or_default();
    Reader::packing(&name.to_string_lossy())
}

fn feed(path: &Path, reader: &mut Reader) -> io::Result<()> {
    let file = BufReader::with_capacity(BUFFER, File::open(path)?);
    pour(unpacked(packing(path), file), reader)
}

/// Returns a reader for the decompressed content of a file. This function is the only one that
/// decompresses catalog files.
pub(in crate::source) fn unpacked<'f>(
    packing: Packing,
    file: impl BufRead + 'f,
) -> Box<dyn BufRead + 'f> {
    match packing {
        Packing::Plain => Box::new(file),
        Packing::Gzip => Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(file))),
    }
}

pub(in crate::source) fn pour(mut from: impl BufRead, reader: &mut Reader) -> io::Result<()> {
    loop {
        let bytes = from.fill_buf()?;
        let read = bytes.len();
        if read == 0 || reader.feed(bytes).is_break() {
            return Ok(());
        }
        from.consume(read);
    }
}

/// The reason why a document cannot be read again, for example because it was moved or changed.
#[derive(Debug, Error)]
#[error("cannot read a document again from {}", path.display())]
pub struct ReadDocument {
    path: PathBuf,
    source: io::Error,
}

/// Reads a document of the catalog at `root` again, from the location where it was found.
///
/// The file may have changed in the meantime. To detect this, the caller must compare the bytes
/// with the content in memory, as [`portolan_core_catalog::raw`] does.
pub fn document(root: &Path, place: &CatalogPlace) -> Result<Vec<u8>, ReadDocument> {
    let path = if root.is_dir() {
        root.join(&*place.file)
    } else {
        root.to_owned()
    };
    let read = File::open(&path).and_then(|mut file| match packing(&path) {
        Packing::Plain => {
            file.seek(SeekFrom::Start(place.offset))?;
            exactly(file, place.length)
        }
        // A compressed file can only be read from the beginning.
        packing @ Packing::Gzip => document_in(unpacked(packing, BufReader::new(file)), place),
    });
    read.map_err(|source| ReadDocument { path, source })
}

/// Reads the document at a byte range of a file's content.
pub(in crate::source) fn document_in(
    mut content: impl Read,
    place: &CatalogPlace,
) -> io::Result<Vec<u8>> {
    io::copy(&mut content.by_ref().take(place.offset), &mut io::sink())?;
    exactly(content, place.length)
}

/// Memory is allocated for the bytes that are read, and not for the requested length, because the
/// length may be wrong.
fn exactly(from: impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut document = Vec::new();
    from.take(length).read_to_end(&mut document)?;
    if document.len() as u64 == length {
        Ok(document)
    } else {
        Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the file ends before the document",
        ))
    }
}
