//! Tests with catalogs in images. The registries of OLM are built from such images.

use std::path::Path;

use portolan_images::{Asker, ImageFlags};
use portolan_kit::oci::{Image, Registry, layer};
use portolan_kit::{TempFolder, catalog, files};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::Resolver;
use portolan_resolver::snapshot::Snapshot;
use portolan_resolver::source::{self, CatalogAt, Copied, SourceAccess, SourceFlags, read_folder};
use portolan_shell::client;
use portolan_world::Dialer;
use rstest::rstest;
use serde_json::json;

const CONFIGS: &str = "operators.operatorframework.io.index.configs.v1";

/// Returns an image with the files of a folder below `configs`, above a layer with other files.
fn image(folder: &Path, more: &[(&str, &str)]) -> Image {
    let below = files(folder).into_iter().map(|(path, bytes)| {
        let text = String::from_utf8(bytes).expect("a text");
        (format!("configs/{path}"), text)
    });
    let below: Vec<_> = below.collect();
    let below = below.iter().map(|(path, text)| (&path[..], &text[..]));
    let below: Vec<_> = below.chain(more.iter().copied()).collect();
    let program = layer(&[("bin/opm", "a program"), ("configs/old.yaml", "schema: [")]);
    Image::of_layers(vec![program, layer(&below)], &json!({CONFIGS: "/configs"}))
}

async fn served(image: &Image) -> Registry {
    let registry = Registry::start().await;
    registry.serve("ferries/catalog", "v1", image);
    registry
}

fn given(registry: &Registry) -> CatalogAt {
    let flag = format!("demo=oci://{}/ferries/catalog:v1", registry.host());
    flag.parse().expect("the flag must parse")
}

fn reach(registry: &Registry) -> SourceAccess {
    let host = registry.host().parse().expect("a host");
    let flags = SourceFlags {
        images: ImageFlags {
            plain_http: vec![host],
            ..Default::default()
        },
        ..Default::default()
    };
    flags.of(Asker::Server)
}

async fn read(registry: &Registry) -> Result<Snapshot, String> {
    let read = source::read(&[given(registry)], &reach(registry)).await;
    read.map_err(|error| {
        let mut message = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(why) = cause {
            message = format!("{message}: {why}");
            cause = why.source();
        }
        message.replace(&registry.host(), "HOST")
    })
}

#[tokio::test]
async fn image_catalog_equals_the_catalog_of_its_files() {
    let shop = catalog("a: 1.0.0 -> 1.1.0; b: 1.0.0");
    let folder = shop.temp();
    let more = [
        ("configs/.wh.old.yaml", ""),
        ("configs/.indexignore", "left/*\n!left/in.yaml\n"),
        ("configs/left/out.yaml", "schema: ["),
        ("configs/left/in.yaml", ""),
        ("configs/README.md", "# Ferries"),
        ("configs/..data/b.yaml", "schema: ["),
    ];
    let registry = served(&image(&folder, &more)).await;
    let snapshot = read(&registry).await.expect("a catalog");
    let of_files = read_folder(&folder).expect("a folder");
    let offer = snapshot.offers.values().next().expect("one");
    let content = offer.state.content().expect("its content");
    assert_eq!(content.catalog().faults, of_files.faults);
    assert_eq!(content.catalog().digest, of_files.digest);

    // Data that a catalog does not keep is read from the pulled image, without a request to the
    // registry.
    let asked = registry.asked().len();
    let resolver = Resolver::over(snapshot.clone()).into_service();
    let mut resolver = ResolverClient::new(client::local(resolver));
    let bundle = resolver.get_bundle(pb::GetBundleRequest {
        package: "a".to_owned(),
        bundle: "a.v1.1.0".to_owned(),
        ..Default::default()
    });
    let bundle = bundle.await.expect("an answer").into_inner();
    assert_ne!(bundle.properties, []);
    assert_eq!(registry.asked().len(), asked);

    let copy = TempFolder::empty();
    let at = given(&registry).location;
    let reach = (&reach(&registry), &Dialer::default());
    let copied = at.copy(reach, [].into(), &copy).await;
    assert_eq!(copied.expect("a copy"), Copied::Whole);
    let again = read_folder(&copy).expect("a folder");
    assert_eq!(again.digest, of_files.digest);
}

#[rstest]
#[case::of_a_bundle(
    json!({"operators.operatorframework.io.bundle.manifests.v1": "manifests/"}),
    "the image has no label operators.operatorframework.io.index.configs.v1, so it is not a \
     catalog image; bundle images are read by `portolan bundle`"
)]
#[case::with_a_database(
    json!({"operators.operatorframework.io.index.database.v1": "/database/index.db"}),
    "the image has its catalog in a database, an old format that is not supported; convert it \
     with `opm render IMAGE > catalog.json`"
)]
#[case::without_files(
    json!({CONFIGS: "/elsewhere"}),
    "there is no catalog file below /elsewhere in the image, although its label names that folder"
)]
#[tokio::test]
async fn image_without_a_valid_configs_label_is_rejected(
    #[case] labels: serde_json::Value,
    #[case] why: &str,
) {
    let layers = vec![layer(&[("configs/a.yaml", "schema: olm.package")])];
    let registry = served(&Image::of_layers(layers, &labels)).await;
    let refused = read(&registry).await.expect_err("no catalog");
    assert_eq!(refused, format!("cannot read catalog demo: {why}"));
}

#[tokio::test]
async fn broken_layer_and_missing_image_are_reported() {
    let broken = Image::of_layers(vec![b"\x1f\x8b".to_vec()], &json!({CONFIGS: "/configs"}));
    let registry = served(&broken).await;
    let refused = read(&registry).await.expect_err("no catalog");
    let begin = "cannot read catalog demo: the image cannot be unpacked: layer 1: cannot be \
     decompressed: ";
    assert!(refused.starts_with(begin), "{refused}");
    let registry = Registry::start().await;
    let refused = read(&registry).await.expect_err("no catalog");
    assert!(refused.contains("HOST/ferries/catalog:v1"), "{refused}");
}
