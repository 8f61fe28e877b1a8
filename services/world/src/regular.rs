//! Reads only regular files, because reading a pipe or a device may never end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The error for a pipe or a device, or for a link to one.
pub(crate) const NOT_REGULAR: &str = "it is not a regular file";

/// The maximum size of a file in bytes. The whole file is read into memory. All objects of a large
/// cluster together are smaller.
const MOST: u64 = 256 << 20;

/// Returns the content of a regular file. Pipes and devices are not opened, and large files are
/// rejected.
///
/// # Errors
/// Returns an error if the file cannot be read, is not regular, or is too large.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(path, MOST)
}

fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, NOT_REGULAR));
    }
    let mut bytes = Vec::new();
    // The read is limited, because the file may grow while it is read.
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let why = format!("it has more than {most} bytes; split it into several files");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use portolan_kit::TempFolder;

    use super::*;

    #[test]
    fn file_above_the_limit_is_an_error_and_file_at_the_limit_is_read() {
        let folder = TempFolder::empty();
        let file = folder.join("all.yaml");
        fs::write(&file, "kind: Pod").expect("a file");
        assert_eq!(read_at_most(&file, 9).expect("a file"), b"kind: Pod");
        let error = read_at_most(&file, 8).expect_err("it is too large");
        let told = "it has more than 8 bytes; split it into several files";
        assert_eq!(error.to_string(), told);
    }

    #[test]
    fn device_file_is_not_opened() {
        let error = read(Path::new("/dev/zero")).expect_err("a device");
        assert_eq!(error.to_string(), NOT_REGULAR);
    }
}
