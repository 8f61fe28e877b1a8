//! The catalogs of real operators.

use std::io::Write as _;
use std::path::{Path, PathBuf};

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
