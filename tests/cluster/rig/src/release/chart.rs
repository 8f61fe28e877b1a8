//! Creates the package of the Helm chart, and the OCI artifact of the chart.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{archive, read, text};
use crate::failure::Failure;
use crate::image::{Entry, Image};

const FOLDER: &str = "deploy/chart";
/// The line in the values of the chart that contains the repository of the image.
const REPOSITORY: &str = "  repository: portolan\n";
/// The media types of the parts of a chart in a registry.
const CONFIG: &str = "application/vnd.cncf.helm.config.v1+json";
const CONTENT: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/// Returns the package of the chart, in the format of `helm package`. If `image` is given, this
/// image is the default of the chart.
pub(super) fn package(root: &Path, image: Option<&str>) -> Result<Vec<u8>, Failure> {
    let folder = root.join(FOLDER);
    let mut entries = Vec::new();
    for path in files(&folder)? {
        let name = path.strip_prefix(&folder).unwrap_or(&path);
        let mut content = read(&path)?;
        if let (Some(image), "values.yaml") = (image, name.to_string_lossy().as_ref()) {
            content = with_image(&text(&path)?, image)?.into_bytes();
        }
        let name = format!("portolan/{}", name.display());
        entries.push(Entry::file(&name, 0o644, content));
    }
    archive::compressed(&entries)
}

fn with_image(values: &str, image: &str) -> Result<String, Failure> {
    if values.matches(REPOSITORY).count() != 1 {
        return Err(Failure::Release {
            why: format!("{FOLDER}/values.yaml must have one line {REPOSITORY:?}"),
        });
    }
    Ok(values.replace(REPOSITORY, &format!("  repository: {image}\n")))
}

/// Returns the files below a folder. `Chart.yaml` comes first, as in packages that Helm creates.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let act = format!("list {}", next.display());
        for entry in fs::read_dir(&next).map_err(Failure::touch(act.clone()))? {
            let path = entry.map_err(Failure::touch(act.clone()))?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort_by_key(|path| (!path.ends_with("Chart.yaml"), path.clone()));
    Ok(files)
}

/// Returns the OCI artifact of a chart package. Its configuration is the content of `Chart.yaml` as
/// JSON.
pub(super) fn artifact(root: &Path, package: Vec<u8>) -> Result<Image, Failure> {
    let chart = text(&root.join(FOLDER).join("Chart.yaml"))?;
    let chart: Value = serde_saphyr::from_str(&chart).map_err(|error| Failure::Read {
        what: "Chart.yaml".to_owned(),
        source: error.into(),
    })?;
    let config = chart.to_string().into_bytes();
    Ok(Image::artifact((CONFIG, config), (CONTENT, package)))
}
