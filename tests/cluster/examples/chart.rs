//! Writes the templates of the Helm chart from what kustomize renders of `deploy/base`.

use std::error::Error;
use std::fs;
use std::path::Path;

use portolan_rig::{Binaries, templates};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn main() -> Result<(), Box<dyn Error>> {
    let mut kustomize = Binaries::ready()?.command("kubectl");
    kustomize
        .args(["kustomize", "deploy/base"])
        .current_dir(ROOT);
    let output = kustomize.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let chart = Path::new(ROOT).join("deploy/chart");
    let folder = chart.join("templates");
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "yaml") {
            fs::remove_file(path)?;
        }
    }
    let rendered = String::from_utf8(output.stdout)?;
    for (name, text) in templates(&rendered) {
        fs::write(folder.join(name), text)?;
    }
    let crd = "operatorpolicies.policy.open-cluster-management.io.yaml";
    let crds = Path::new(ROOT).join("deploy/crds").join(crd);
    fs::copy(crds, chart.join("crds").join(crd))?;
    Ok(())
}
