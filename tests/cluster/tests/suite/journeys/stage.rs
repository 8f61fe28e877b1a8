//! The clusters of the tutorials: catalogs with their manifests, and Portolan as delivered.

use std::fs;

use portolan_kit::Catalog;
use portolan_rig::{Failure, World};

use crate::operators::stage::{Harbor, delivered, version};

/// A cluster with Portolan as delivered, whose resolver has this catalog as `charts`.
pub(super) async fn harbor(world: World, offered: &Catalog) -> Result<Harbor, Failure> {
    let harbor = delivered(world, &[version("tug", "1.0.0")], "registry.test").await?;
    // A folder without the harbor's own catalog.
    let file = harbor.catalog_folder().join("catalog.yaml");
    fs::write(file, offered.installable().to_json_lines())
        .map_err(Failure::touch("write a catalog"))?;
    Ok(harbor)
}
