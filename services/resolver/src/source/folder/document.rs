//! One document out of a folder.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use portolan_core_catalog::Place;
use thiserror::Error;

/// A document that is not where it was.
#[derive(Debug, Error)]
#[error("read a document again from {}", path.display())]
pub struct ReadDocument {
    path: PathBuf,
    source: io::Error,
}

/// Reads the document again that was read at a place of the catalog at `root`.
///
/// Whoever needs to know whether the file has changed since holds the bytes against what was read
/// of them before, as [`portolan_core_catalog::raw`] does.
pub fn document(root: &Path, place: &Place) -> Result<Vec<u8>, ReadDocument> {
    let path = match root.is_dir() {
        true => root.join(&*place.file),
        false => root.to_owned(),
    };
    let is_zipped = path.extension().is_some_and(|extension| extension == "gz");
    let read = File::open(&path).and_then(|mut file| match is_zipped {
        true => {
            let mut content = MultiGzDecoder::new(BufReader::new(file));
            io::copy(&mut content.by_ref().take(place.offset), &mut io::sink())?;
            exactly(content, place.length)
        }
        false => {
            file.seek(SeekFrom::Start(place.offset))?;
            exactly(file, place.length)
        }
    });
    read.map_err(|source| ReadDocument { path, source })
}

/// Grows with what there is, and not with what is asked for.
fn exactly(from: impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut document = Vec::new();
    from.take(length).read_to_end(&mut document)?;
    match document.len() as u64 == length {
        true => Ok(document),
        false => Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the file ends before the document",
        )),
    }
}
