//! Reads the files of the real catalogs.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use portolan_core_catalog::{Catalog, Reading};
use portolan_kit::real_catalog;

/// Returns the name and the text of each file of a catalog. Returns None if the catalog is not
/// available.
pub(crate) fn files(catalog: &str) -> Option<Vec<(String, String)>> {
    let folder = real_catalog(catalog)?;
    let paths = paths(&folder);
    let files = paths.iter().map(|path| (name(&folder, path), text(path)));
    Some(files.collect())
}

/// Parses all files of a catalog. Returns None if the catalog is not available.
pub(crate) fn catalog(name: &str) -> Option<Catalog> {
    let files = files(name)?;
    let readings = files
        .iter()
        .map(|(name, text)| Reading::of(name, text.as_bytes()));
    Some(Catalog::of(readings.collect::<Vec<_>>()))
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder must be readable");
    let paths = entries.map(|entry| entry.expect("the entry must be readable").path());
    let mut paths: Vec<_> = paths
        .flat_map(|path| {
            if path.is_dir() {
                self::paths(&path)
            } else {
                vec![path]
            }
        })
        .collect();
    paths.sort();
    paths
}

fn name(folder: &Path, path: &Path) -> String {
    let name = path
        .strip_prefix(folder)
        .expect("the file must lie in the folder");
    name.to_string_lossy().into_owned()
}

fn text(path: &Path) -> String {
    let bytes = fs::read(path).expect("the file must be readable");
    let is_zipped = path.extension().is_some_and(|extension| extension == "gz");
    let mut text = String::new();
    let read = if is_zipped {
        MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut text)
    } else {
        bytes.as_slice().read_to_string(&mut text)
    };
    read.expect("the file must be text");
    text
}
