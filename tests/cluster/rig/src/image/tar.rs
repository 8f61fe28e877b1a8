//! Creates tar archives whose bytes depend only on the files: the archives contain no dates and no
//! user names.

use std::collections::BTreeSet;

const BLOCK: usize = 512;

/// A file in an archive.
#[derive(Clone, Debug)]
pub struct Entry {
    path: String,
    mode: u32,
    content: Vec<u8>,
}

impl Entry {
    /// Creates a file. Its path has no leading slash and at most 100 bytes.
    pub fn file(path: &str, mode: u32, content: Vec<u8>) -> Self {
        Self {
            path: path.trim_start_matches('/').to_owned(),
            mode,
            content,
        }
    }
}

/// Returns an archive of these files and of the folders that contain them.
pub(crate) fn archive(entries: &[Entry]) -> Vec<u8> {
    let all: usize = entries
        .iter()
        .map(|entry| entry.content.len() + 4 * BLOCK)
        .sum();
    let mut archive = Vec::with_capacity(all);
    let mut made = BTreeSet::new();
    for Entry {
        path,
        mode,
        content,
    } in entries
    {
        for (at, _) in path.match_indices('/') {
            let folder = &path[..=at];
            if made.insert(folder) {
                archive.extend(header(folder, 0o755, 0, b'5'));
            }
        }
        archive.extend(header(path, *mode, content.len(), b'0'));
        archive.extend(content);
        archive.resize(archive.len().next_multiple_of(BLOCK), 0);
    }
    archive.resize(archive.len() + 2 * BLOCK, 0);
    archive
}

fn header(path: &str, mode: u32, length: usize, kind: u8) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    let path = &path.as_bytes()[..path.len().min(100)];
    let (mode, length) = (format!("{mode:07o}\0"), format!("{length:011o}\0"));
    let fields: [(usize, &[u8]); 9] = [
        (0, path),
        (100, mode.as_bytes()),
        (108, b"0000000\0"),
        (116, b"0000000\0"),
        (124, length.as_bytes()),
        (136, b"00000000000\0"),
        (148, b"        "),
        (156, &[kind]),
        (257, b"ustar\x0000"),
    ];
    for (at, bytes) in fields {
        header[at..at + bytes.len()].copy_from_slice(bytes);
    }
    let sum: u32 = header.iter().copied().map(u32::from).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn tar_reads_files_folders_and_modes() {
        let folder = tempfile::tempdir().expect("a folder");
        let entries = [
            Entry::file("/etc/motd", 0o644, b"calm\n".to_vec()),
            Entry::file("etc/ssl/ca.crt", 0o600, vec![7; 1000]),
        ];
        let file = folder.path().join("layer.tar");
        fs::write(&file, archive(&entries)).expect("the folder takes a file");
        let mut tar = Command::new("tar");
        tar.args(["--list", "--verbose", "--numeric-owner", "--utc", "--file"]);
        let listed = tar.arg(&file).output().expect("tar runs");
        let listed = String::from_utf8_lossy(&listed.stdout);
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<_> = listed.lines().map(words).collect();
        assert_eq!(
            lines,
            [
                "drwxr-xr-x 0/0 0 1970-01-01 00:00 etc/",
                "-rw-r--r-- 0/0 5 1970-01-01 00:00 etc/motd",
                "drwxr-xr-x 0/0 0 1970-01-01 00:00 etc/ssl/",
                "-rw------- 0/0 1000 1970-01-01 00:00 etc/ssl/ca.crt",
            ]
        );
    }
}
