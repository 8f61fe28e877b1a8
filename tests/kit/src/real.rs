//! The catalogs of real operators.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::Catalog;

/// The folder of a real catalog. They are no part of the repository: `PORTOLAN_CATALOGS` names the
/// folder that has them. None, and loudly, if it is not at hand.
pub fn real_catalog(name: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("PORTOLAN_CATALOGS") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/catalogs"),
    };
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    // Written past the capture of test output: who leaves tests out has to see it.
    let _ = writeln!(
        std::io::stderr(),
        "LEFT OUT: the real catalog {name}, for it is not at {}; set PORTOLAN_CATALOGS",
        folder.display()
    );
    None
}

/// A package of a real catalog that is kept as YAML, whose folder is called `folder`, made
/// installable. None, and loudly, if the catalog is not at hand.
///
/// # Panics
/// When the catalog has no such package.
#[track_caller]
pub fn real_package(catalog: &str, folder: &str) -> Option<Catalog> {
    let path = real_catalog(catalog)?.join(folder).join("catalog.yaml");
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{} must be readable: {error}", path.display()));
    let documents: Vec<serde_json::Value> =
        serde_saphyr::from_multiple(&text).expect("a catalog must be YAML");
    Some(Catalog::stand_in(&documents))
}
