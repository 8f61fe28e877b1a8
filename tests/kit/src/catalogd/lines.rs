//! Converts the files of a folder to JSON lines.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Returns the documents of all files below a folder, one JSON object per line, in the format in
/// which catalogd serves them. Files with the extension `.json` contain JSON, and all other files
/// contain YAML.
///
/// # Panics
/// Panics if a file cannot be read.
pub fn json_lines(folder: &Path) -> String {
    let mut lines = String::new();
    for file in files(folder) {
        let read = fs::read_to_string(&file);
        let text = read.unwrap_or_else(|error| panic!("read {}: {error}", file.display()));
        let read = if file
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            json(&text).map_err(|error| error.to_string())
        } else {
            serde_saphyr::from_multiple(&text).map_err(|error| error.to_string())
        };
        let documents = read.unwrap_or_else(|error| panic!("read {}: {error}", file.display()));
        for document in documents {
            lines += &document.to_string();
            lines.push('\n');
        }
    }
    lines
}

fn json(text: &str) -> serde_json::Result<Vec<Value>> {
    serde_json::Deserializer::from_str(text)
        .into_iter()
        .collect()
}

/// Returns the files, ordered by path.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.unwrap_or_else(|error| panic!("read {}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    let below = |path: PathBuf| {
        if path.is_dir() {
            files(&path)
        } else {
            vec![path]
        }
    };
    paths.into_iter().flat_map(below).collect()
}
