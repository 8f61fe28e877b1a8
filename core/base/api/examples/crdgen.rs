//! Writes the CRDs of Portolan's kinds, and the tables of condition types and reasons in the docs
//! pages. Run `cargo run -p portolan-api --example crdgen`.
//!
//! The CRDs are in the repository, so that users can install Portolan without building it. A test
//! compares them with the output of this program.

#![expect(clippy::disallowed_methods, reason = "writes the generated files")]

use std::error::Error;
use std::fs;
use std::path::Path;

/// A function that returns a docs page with current tables of condition types and reasons.
type Written = fn(&str) -> Option<String>;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let folder = root.join("deploy/crds");
    fs::create_dir_all(&folder)?;
    for manifest in portolan_api::manifests()? {
        let file = folder.join(manifest.file);
        fs::write(&file, manifest.text)?;
        println!("wrote {}", file.display());
    }
    let pages: [(&str, Written); 5] = [
        ("docs/operator-policy.md", portolan_api::with_conditions),
        ("docs/install.md", portolan_api::with_install_conditions),
        ("docs/operator.md", portolan_api::with_operator_conditions),
        ("docs/policy.md", portolan_api::with_policy_conditions),
        ("docs/v2alpha1.md", portolan_api::with_component_conditions),
    ];
    for (page, written) in pages {
        let page = root.join(page);
        if let Some(text) = written(&fs::read_to_string(&page)?) {
            fs::write(&page, text)?;
            println!("wrote {}", page.display());
        }
    }
    Ok(())
}
