//! The bytes of a file, into a reader.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use portolan_core_catalog::{Reader, Reading};

use super::walk::Found;

/// How much of a file is held beside the document being read.
const BUFFER: usize = 128 << 10;

/// What a file says. That it cannot be read is what it says, if that will be so again; it is an
/// error where the next try may fare better.
pub(super) fn read(root: &Path, found: &Found) -> io::Result<Reading> {
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

/// Whether it is the file that is at fault, and not a disk, a file server or a limit of ours.
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
