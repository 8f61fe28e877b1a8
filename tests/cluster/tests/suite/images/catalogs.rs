//! Tests catalogs that are images in a real registry.

use portolan_images::{Asker, ImageFlags};
use portolan_kit::oci::{Image, layer};
use portolan_kit::{catalog, files};
use portolan_resolver::source::{self, CatalogAt, SourceFlags, read_folder};
use portolan_rig::Failure;
use serde_json::json;

use super::registry::Store;
use super::{REPOSITORY, parsed};
use crate::begin;

#[tokio::test]
async fn catalog_is_read_from_its_image() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let folder = catalog("a: 1.0.0 -> 1.1.0; b: 1.0.0").temp();
    let below = files(&folder).into_iter().map(|(path, bytes)| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (format!("configs/{path}"), text)
    });
    let below: Vec<_> = below.collect();
    let below: Vec<_> = below
        .iter()
        .map(|(path, text)| (&path[..], &text[..]))
        .collect();
    let labels = json!({"operators.operatorframework.io.index.configs.v1": "/configs"});
    let store = Store::with(&Image::of_layers(vec![layer(&below)], &labels)).await?;
    let registry = store.serve("").await?;
    let flags = SourceFlags {
        images: ImageFlags {
            plain_http: vec![parsed(registry.host())],
            ..ImageFlags::default()
        },
        ..SourceFlags::default()
    };
    let given = format!("demo=oci://{}/{REPOSITORY}:v1", registry.host());
    let given: CatalogAt = given.parse().expect("a catalog");
    let read = source::read(&[given], &flags.of(Asker::Server)).await;
    let snapshot = read.map_err(Failure::read("a catalog"))?;
    let offer = snapshot.offers.values().next().expect("one catalog");
    let content = offer.state.content().expect("its content");
    let expected = read_folder(&folder).map_err(Failure::read("a folder"))?;
    assert_eq!(content.catalog().digest, expected.digest);
    Ok(())
}
