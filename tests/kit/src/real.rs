//! The catalogs and bundles of real operators, for tests. They are not part of the repository.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::Catalog;

/// Returns the folder of a real catalog. The environment variable `PORTOLAN_CATALOGS` contains the
/// path of all real catalogs. If the catalog is missing, prints a warning and returns None.
pub fn real_catalog(name: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("PORTOLAN_CATALOGS") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/catalogs"),
    };
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    // Writes directly to standard error, which the test harness does not capture, so that skipped
    // tests are visible.
    let _ = writeln!(
        std::io::stderr(),
        "LEFT OUT: the real catalog {name}, for it is not at {}; set PORTOLAN_CATALOGS",
        folder.display()
    );
    None
}

/// Returns a package of a real catalog in YAML, with replaced manifests that can be installed.
/// `folder` is the folder of the package. If the catalog is missing, prints a warning and returns
/// None.
///
/// # Panics
/// Panics if the catalog does not contain the package.
#[track_caller]
pub fn real_package(catalog: &str, folder: &str) -> Option<Catalog> {
    let path = real_catalog(catalog)?.join(folder).join("catalog.yaml");
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{} must be readable: {error}", path.display()));
    let documents: Vec<serde_json::Value> =
        serde_saphyr::from_multiple(&text).expect("a catalog must be YAML");
    Some(Catalog::stand_in(&documents))
}

/// Returns the folders of real operator bundles, sorted. The environment variable
/// `PORTOLAN_BUNDLES` contains their path, with subfolders `PACKAGE/VERSION/manifests`. If the
/// variable is not set, prints a warning and returns no folders.
pub fn real_bundles() -> Vec<PathBuf> {
    let root = match std::env::var_os("PORTOLAN_BUNDLES") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bundles"),
    };
    let versions = folders(&root)
        .into_iter()
        .flat_map(|package| folders(&package));
    let bundles: Vec<_> = versions
        .filter(|folder| folder.join("manifests").is_dir())
        .collect();
    if bundles.is_empty() {
        let _ = writeln!(
            std::io::stderr(),
            "LEFT OUT: the real bundles, which are missing at {}; set PORTOLAN_BUNDLES",
            root.display()
        );
    }
    bundles
}

/// Returns the files below a folder, each with its relative path.
///
/// # Panics
/// Panics if a file cannot be read.
pub fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for path in entries(folder) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            let below = self::files(&path).into_iter();
            files.extend(below.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else {
            let bytes = std::fs::read(&path);
            let bytes = bytes.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            files.push((name.into_owned(), bytes));
        }
    }
    files
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut folders = entries(folder);
    folders.retain(|path| path.is_dir());
    folders
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    paths
}
