//! Writes the templates of the Helm chart from what kustomize renders of `deploy/base`, both
//! without optional components and with each optional component. Also writes the manifests of the
//! profiles.

use std::error::Error;
use std::fs;
use std::path::Path;

use portolan_rig::{Binaries, CHOICES, PROFILES, opening, overlay, profile, templates};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn main() -> Result<(), Box<dyn Error>> {
    let deploy = Path::new(ROOT).join("deploy").canonicalize()?;
    let with = CHOICES.map(|choice| with(&deploy, &choice.components()));
    let with = with.into_iter().collect::<Result<Vec<_>, _>>()?;
    let chart = deploy.join("chart");
    let folder = chart.join("templates");
    let templates = templates(&rendered(&deploy.join("base"))?, &with);
    let opening = opening(&rendered(&deploy.join("overlays/templates"))?);
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "yaml") {
            fs::remove_file(path)?;
        }
    }
    for (name, text) in templates.into_iter().chain(opening) {
        fs::write(folder.join(name), text)?;
    }
    let crd = "operatorpolicies.policy.open-cluster-management.io.yaml";
    fs::copy(deploy.join("crds").join(crd), chart.join("crds").join(crd))?;
    fs::create_dir_all(chart.join("files"))?;
    fs::copy(
        deploy.join("overlays/monitoring/dashboard.json"),
        chart.join("files/dashboard.json"),
    )?;
    for name in PROFILES {
        let rendered = rendered(&deploy.join("overlays").join(name))?;
        let file = deploy.join("profiles").join(name).with_extension("yaml");
        fs::write(file, profile(name, &rendered))?;
    }
    Ok(())
}

/// Returns the rendered base with these components.
fn with(deploy: &Path, components: &[&str]) -> Result<String, Box<dyn Error>> {
    let temp = tempfile::tempdir()?;
    let folder = temp.path().canonicalize()?;
    let text = overlay(deploy, &folder, components);
    fs::write(folder.join("kustomization.yaml"), text)?;
    rendered(&folder)
}

fn rendered(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut kustomize = Binaries::ready()?.command("kubectl");
    let output = kustomize.arg("kustomize").arg(folder).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
