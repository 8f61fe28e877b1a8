//! A catalog in a folder of files.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use portolan_catalog::{Catalog, Format, Reader};
use thiserror::Error;

/// A place that cannot be read.
#[derive(Debug, Error)]
#[error("read {}", path.display())]
pub struct ReadCatalog {
    path: PathBuf,
    source: io::Error,
}

/// Reads a folder with all that is below it, or a single file.
pub(super) fn read(root: &Path) -> Result<Catalog, ReadCatalog> {
    let mut reader = Reader::default();
    for path in files(root)? {
        let shown = path.to_string_lossy();
        let (name, is_zipped) = match shown.strip_suffix(".gz") {
            Some(name) => (name, true),
            None => (shown.as_ref(), false),
        };
        if let Some(format) = Format::of(name) {
            let bytes = content(&path, is_zipped).map_err(|source| failed(&path, source))?;
            reader.read(&shown, format, &bytes);
        }
    }
    Ok(reader.finish())
}

/// All files below `root`, by path. A link is followed only as the root itself.
fn files(root: &Path) -> Result<Vec<PathBuf>, ReadCatalog> {
    if !fs::metadata(root)
        .map_err(|source| failed(root, source))?
        .is_dir()
    {
        return Ok(vec![root.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        for entry in entries.map_err(|source| failed(&folder, source))? {
            let path = entry.path();
            match entry.file_type().map_err(|source| failed(&path, source))? {
                kind if kind.is_dir() => folders.push(path),
                kind if kind.is_file() => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

fn content(path: &Path, is_zipped: bool) -> io::Result<Vec<u8>> {
    let bytes = fs::read(path)?;
    if !is_zipped {
        return Ok(bytes);
    }
    let mut unzipped = Vec::new();
    MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut unzipped)?;
    Ok(unzipped)
}

fn failed(path: &Path, source: io::Error) -> ReadCatalog {
    ReadCatalog {
        path: path.to_owned(),
        source,
    }
}
