//! Reads manifests from files, folders and standard input. Keeps the file and line of each
//! manifest.

use std::fmt;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use portolan_world::{Written, read_objects};
use serde_json::Value;

use crate::failure::Failure;

/// The argument that selects standard input.
pub(crate) const STDIN: &str = "-";
/// The file extensions that kubectl also reads from a folder.
const ENDS: [&str; 3] = ["yaml", "yml", "json"];

/// The file names that kustomize reads, and the message for such a file.
const KUSTOMIZATIONS: [&str; 2] = ["kustomization.yaml", "kustomization.yml"];
const FOR_KUSTOMIZE: &str =
    "the file is input for kustomize; use the output of `kustomize build DIR` instead";

/// A manifest, with its file and line.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) place: ManifestPlace,
    pub(crate) manifest: Value,
    /// True if the manifest is JSON, and false if it is YAML.
    pub(crate) is_json: bool,
}

/// The file and line of a manifest. Editors recognize the printed form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ManifestPlace {
    file: String,
    line: u64,
}

/// The manifests that were read, and one sentence for each document that cannot be read.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub(crate) all: Vec<Source>,
    pub(crate) faults: Vec<String>,
    /// True if standard input is empty.
    pub(crate) is_silent: bool,
}

// === impl ManifestPlace ===

impl fmt::Display for ManifestPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

// === impl Sources ===

impl Sources {
    /// Reads files in the order of the arguments. In a folder, files are read in the order of their
    /// names.
    pub(crate) fn read(paths: &[PathBuf], is_recursive: bool) -> Result<Self, Failure> {
        let mut sources = Self::default();
        for path in paths {
            for file in files(path, is_recursive)? {
                let (place, bytes) = read(&file)?;
                let is_empty = bytes.iter().all(u8::is_ascii_whitespace);
                sources.is_silent |= is_empty && file == Path::new(STDIN);
                sources.take(&place, &bytes);
            }
        }
        Ok(sources)
    }

    fn take(&mut self, file: &str, bytes: &[u8]) {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        let is_json = matches!(first, Some(b'{' | b'['));
        for Written { line, object } in read_objects(bytes) {
            let place = ManifestPlace {
                file: file.to_owned(),
                line,
            };
            match object {
                Ok(manifest) => self.all.push(Source {
                    place,
                    manifest,
                    is_json,
                }),
                // A file for kustomize is recognized by its name, because it can lack apiVersion
                // and kind.
                Err(_) if is_for_kustomize(Path::new(file)) => {
                    self.faults.push(format!("{place}: {FOR_KUSTOMIZE}"));
                }
                Err(why) => self.faults.push(format!("{place}: {why}")),
            }
        }
    }
}

/// Reads a file or standard input. Also returns the name of the file for messages.
pub(crate) fn read(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    if path != Path::new(STDIN) {
        let bytes = fs::read(path).map_err(|error| failed(path, &error))?;
        return Ok((path.display().to_string(), bytes));
    }
    let mut bytes = Vec::new();
    let read = io::stdin().read_to_end(&mut bytes);
    read.map_err(|error| Failure::refused_to("cannot read standard input", &error))?;
    Ok(("standard input".to_owned(), bytes))
}

/// Returns the files that a path selects. For a folder, these are the files that may contain
/// manifests.
fn files(path: &Path, is_recursive: bool) -> Result<Vec<PathBuf>, Failure> {
    if path == Path::new(STDIN) || !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| failed(path, &error))?;
    let mut paths: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort_unstable();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            // Does not follow a symbolic link, which may point to its own folder.
            if is_recursive && !path.is_symlink() {
                files.extend(self::files(&path, is_recursive)?);
            }
        } else if has_manifests(&path) {
            files.push(path);
        }
    }
    Ok(files)
}

fn has_manifests(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str());
    end.is_some_and(|end| ENDS.contains(&end))
}

fn is_for_kustomize(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| KUSTOMIZATIONS.contains(&name))
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::refused_to(format!("cannot read {}", path.display()), error)
}

#[cfg(test)]
mod tests {
    use portolan_kit::TempFolder;

    use super::*;

    fn faults_of(folder: &TempFolder, is_recursive: bool) -> Vec<String> {
        let sources = Sources::read(&[folder.to_path_buf()], is_recursive).expect("a folder");
        let root = format!("{}/", folder.display());
        let found = sources.all.iter().map(|source| {
            let name = source.manifest["metadata"]["name"].as_str();
            format!("{}: {}", source.place, name.unwrap_or_default())
        });
        let lines = found.chain(sources.faults);
        lines.map(|line| line.replace(&root, "")).collect()
    }

    fn write(folder: &TempFolder, file: &str, names: &[&str]) {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let maps = names.iter().map(|name| {
            format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n")
        });
        fs::write(path, maps.collect::<String>()).expect("a file");
    }

    #[test]
    fn reports_kustomization_without_api_version() {
        let folder = TempFolder::empty();
        let file = folder.join("kustomization.yaml");
        fs::write(file, "resources: [a.yaml]\n").expect("a file");
        let lines = faults_of(&folder, false);
        assert!(
            lines[0].contains("the file is input for kustomize"),
            "{lines:?}"
        );
    }

    #[test]
    fn reads_files_in_order_of_names() {
        let folder = TempFolder::empty();
        write(&folder, "10-b.yml", &["b", "c"]);
        write(&folder, "00-a.yaml", &["a"]);
        write(&folder, "05/d.yaml", &["d"]);
        fs::write(folder.join("README.md"), "kind: [").expect("a file");
        assert_eq!(
            faults_of(&folder, false),
            ["00-a.yaml:2: a", "10-b.yml:2: b", "10-b.yml:6: c"]
        );
        assert_eq!(
            faults_of(&folder, true),
            [
                "00-a.yaml:2: a",
                "05/d.yaml:2: d",
                "10-b.yml:2: b",
                "10-b.yml:6: c"
            ]
        );
    }

    #[test]
    fn does_not_follow_links_to_folders() {
        let folder = TempFolder::empty();
        write(&folder, "a/b.yaml", &["b"]);
        let link = folder.join("a/again");
        std::os::unix::fs::symlink(&*folder, link).expect("a link");
        assert_eq!(faults_of(&folder, true), ["a/b.yaml:2: b"]);
    }

    #[test]
    fn reports_unreadable_documents_with_their_position() {
        let folder = TempFolder::empty();
        fs::write(folder.join("a.json"), "{\"kind\": \"Pod\"}").expect("a file");
        assert_eq!(
            faults_of(&folder, false),
            ["a.json:1: it has no apiVersion and kind, which every object must have"]
        );
    }
}
