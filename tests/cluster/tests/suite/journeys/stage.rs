//! Prepares clusters for the tutorials: catalogs with their manifests, and Portolan with its
//! manifests.

use std::fs;

use portolan_kit::Catalog;
use portolan_rig::{Failure, World};

use crate::operators::stage::{Harbor, delivered, version};

/// Returns a cluster with Portolan. The resolver of Portolan has this catalog with the name
/// `charts`.
pub(super) async fn harbor(world: World, offered: &Catalog) -> Result<Harbor, Failure> {
    let harbor = delivered(world, &[version("tug", "1.0.0")], "registry.test").await?;
    // Uses a new folder, which does not contain the default catalog of the harbor.
    let file = harbor.catalog_folder().join("catalog.yaml");
    fs::write(file, offered.installable().to_json_lines())
        .map_err(Failure::touch("write a catalog"))?;
    Ok(harbor)
}
