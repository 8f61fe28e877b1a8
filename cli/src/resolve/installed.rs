//! What a cluster has, as `kubectl` prints it.

mod manifests;
mod names;

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use portolan_proto::resolver::v1::InstalledOperator;
use thiserror::Error;

use crate::failure::Failure;

/// What faults of standard input call it.
const STDIN: &str = "standard input";

/// What can be read, for those who brought something else.
const WAY_OUT: &str = "what can be read is what `kubectl get csv,sub -o yaml` prints, or the names \
                       that `kubectl get csv -o name` prints";

/// A file that cannot be read.
#[derive(Debug, Error)]
#[error("read {file} (--installed)")]
struct ReadInstalled {
    file: String,
    source: io::Error,
}

/// A text that does not say what a cluster has.
#[derive(Debug, Error)]
#[error("{place}: {why} (--installed); {WAY_OUT}")]
struct NotInstalled {
    /// The file and, if it is about one, the line.
    place: String,
    why: String,
}

/// The operators that a file names, or standard input where it is `-`.
pub(super) fn read(file: &str) -> Result<Vec<InstalledOperator>, Failure> {
    let (name, bytes) = read_bytes(file)?;
    parse(name, &bytes).map_err(Failure::refused)
}

/// What is in a file, or comes through standard input where it is `-`, and what faults call it.
pub(super) fn read_bytes(file: &str) -> Result<(&str, Vec<u8>), Failure> {
    let (name, read) = match file {
        "-" => (STDIN, stdin()),
        file => (file, fs::read(file)),
    };
    let read = read.map_err(|source| {
        Failure::refused(ReadInstalled {
            file: name.to_owned(),
            source,
        })
    });
    Ok((name, read?))
}

fn stdin() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn parse(file: &str, bytes: &[u8]) -> Result<Vec<InstalledOperator>, NotInstalled> {
    match str::from_utf8(bytes) {
        Ok(text) if !is_manifests(text) => names::parse(file, text),
        _ => manifests::parse(Path::new(file), bytes),
    }
}

/// YAML and JSON of objects have a colon in the first line that says something, or begin a list or
/// a map there. Names have none of that.
fn is_manifests(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !is_skipped(line));
    first.is_some_and(|line| line.contains(':') || line.starts_with(['{', '[', '-', '%']))
}

/// Says nothing, in names as in manifests.
fn is_skipped(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}
