//! Writes the manifests of our kinds: `cargo run -p portolan-api --bin crdgen`.
//!
//! They are checked in, so that whoever installs Portolan has to build nothing; a test holds them
//! against what this writes.

use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/crds");
    fs::create_dir_all(&folder)?;
    for manifest in portolan_api::manifests()? {
        let file = folder.join(manifest.file);
        fs::write(&file, manifest.text)?;
        println!("wrote {}", file.display());
    }
    Ok(())
}
