//! Publishes catalogs and bundles as images in the registry of a cluster.

use std::fs;
use std::path::Path;

use portolan_kit::Catalog;
use portolan_rig::image::{Entry, Image, Start};
use portolan_rig::{Cluster, Failure};

/// The registry host in the image names that the kit generates.
const HOST: &str = "registry.example";
/// The label of a catalog image that names the folder of its files, and this folder.
const CONFIGS: (&str, &str) = (
    "operators.operatorframework.io.index.configs.v1",
    "/configs",
);

/// Pushes the image of a catalog, and the images of its bundles except those in `lost`. Returns the
/// reference of the catalog.
pub(super) async fn publish(
    cluster: &Cluster,
    name: &str,
    catalog: Catalog,
    lost: &[&str],
) -> Result<String, Failure> {
    let registry = cluster.registry().unwrap_or_default();
    let catalog = catalog.by_image();
    let images = catalog.images();
    let kept = catalog.packages.iter().flat_map(|it| &it.bundles);
    let kept = kept.filter(|it| !lost.contains(&it.name.as_str()));
    for bundle in kept.filter(|it| !it.image.is_empty()) {
        let image = image(files(&images.join(&bundle.image))?, &[]);
        let name = bundle.image.trim_start_matches(HOST);
        cluster.push(image, name.trim_start_matches('/')).await?;
    }
    let text = catalog.to_json_lines().replace(HOST, &registry);
    let file = Entry::file("configs/catalog.json", 0o644, text.into_bytes());
    let name = format!("{name}:v1");
    cluster.push(image(vec![file], &[CONFIGS]), &name).await?;
    Ok(format!("{registry}/{name}"))
}

fn image(files: Vec<Entry>, labels: &[(&str, &str)]) -> Image {
    let labels = labels.iter();
    let labels = labels.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let start = Start {
        labels: labels.collect(),
        ..Start::default()
    };
    Image::of(&[files], &start)
}

/// Returns the files in the folders of a bundle.
fn files(bundle: &Path) -> Result<Vec<Entry>, Failure> {
    let touch = || Failure::touch("read the files of a bundle");
    let mut files = Vec::new();
    for folder in ["manifests", "metadata"] {
        for file in fs::read_dir(bundle.join(folder)).map_err(touch())? {
            let file = file.map_err(touch())?;
            let path = format!("{folder}/{}", file.file_name().display());
            let text = fs::read(file.path()).map_err(touch())?;
            files.push(Entry::file(&path, 0o644, text));
        }
    }
    Ok(files)
}
