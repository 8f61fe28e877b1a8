//! Creates compressed archives without dates and user names.

use std::io::Write as _;
use std::path::Path;

use flate2::{Compression, GzBuilder};

use super::read;
use crate::failure::Failure;
use crate::image::{Entry, tar};

/// The files of the repository that each archive contains.
const PAGES: [&str; 3] = ["LICENSE", "README.md", "CHANGELOG.md"];

/// Returns an archive with a program, its man pages and completions, and files of the repository.
/// The files are in a folder with the name of the archive.
pub(super) fn of_program(
    name: &str,
    (program, content): (&str, Vec<u8>),
    pages: &[(String, Vec<u8>)],
    root: &Path,
) -> Result<Vec<u8>, Failure> {
    let mut entries = vec![Entry::file(&format!("{name}/{program}"), 0o755, content)];
    for page in PAGES {
        let content = read(&root.join(page))?;
        entries.push(Entry::file(&format!("{name}/{page}"), 0o644, content));
    }
    for (path, content) in pages {
        entries.push(Entry::file(
            &format!("{name}/{path}"),
            0o644,
            content.clone(),
        ));
    }
    compressed(&entries)
}

/// Returns a `.tar.gz` of these files.
pub(super) fn compressed(entries: &[Entry]) -> Result<Vec<u8>, Failure> {
    let mut writer = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::best());
    let written = writer.write_all(&tar::archive(entries));
    let written = written.and_then(|()| writer.finish());
    written.map_err(Failure::touch("compress an archive"))
}
