//! Tests that a registry of `opm` and the files of a catalog have the same content.

mod opm;
mod real;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use futures::FutureExt as _;
use portolan_core_catalog::{Catalog, Digest};
use portolan_kit::{TempFolder, assert_same, catalog};
use portolan_resolver::source::read_folder;
use portolan_resolver::source::registry::Registry;
use portolan_rig::Failure;
use tokio::time::timeout;

pub(super) use self::opm::Opm;
use crate::begin;

/// The maximum wait for an event that usually takes only a moment. It is long, because the machine
/// may be busy.
const SOON: Duration = Duration::from_secs(10);

const FERRY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../fixtures/catalogs/ferry/catalog.yaml"
);

/// A catalog with all features of the test kit that `opm` accepts.
const SHOP: &str = "
    a[stable, fast]: 1.0.0 -> 1.1.0 -> 2.0.0; 2.0.0 skips 1.0.0, 0.9.0; 2.0.0 covers >=0.5.0 <2.0.0
    1.1.0 deprecated \"mind the step\"; channel fast deprecated \"no longer kept\"
    2.0.0 provides shop.test/v1/Shelf, shop.test/v1beta1/Shelf; default fast
    a/slow: 1.0.0 replaces 0.1.0
    b: 1.0.0-rc.1 -> 1.0.0; 1.0.0 requires a >=1.0.0 <3.0.0; 1.0.0 requires shop.test/v1/Shelf
    package deprecated \"use a\"
";

/// Bundles with releases. Some bundles state the release. Others substitute another bundle, with or
/// without an image.
const RELEASES: &str = r#"
{"schema": "olm.package", "name": "r", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "r", "name": "stable", "entries": [
  {"name": "r-v1.0.0-1"}, {"name": "r.v1.1.0", "replaces": "r-v1.0.0-1"},
  {"name": "r.v1.1.0-1", "replaces": "r.v1.1.0"}, {"name": "r.v1.2.0", "replaces": "r.v1.1.0-1"},
  {"name": "r.v1.3.0", "replaces": "r.v1.2.0"}]}
{"schema": "olm.bundle", "package": "r", "name": "r-v1.0.0-1", "image": "registry.example/r:1",
 "properties": [{"type": "olm.package",
  "value": {"packageName": "r", "version": "1.0.0", "release": "1"}}]}
{"schema": "olm.bundle", "package": "r", "name": "r.v1.1.0", "image": "registry.example/r:2",
 "properties": [{"type": "olm.package", "value": {"packageName": "r", "version": "1.1.0"}}]}
{"schema": "olm.bundle", "package": "r", "name": "r.v1.1.0-1", "image": "registry.example/r:3",
 "properties": [{"type": "olm.package", "value": {"packageName": "r", "version": "1.1.0+1"}},
  {"type": "olm.csv.metadata", "value": {"displayName": "The R",
   "annotations": {"olm.substitutesFor": "r.v1.1.0"}, "minKubeVersion": "1.30.0",
   "installModes": [{"type": "AllNamespaces", "supported": true}]}}],
 "relatedImages": [{"name": "engine", "image": "registry.example/engine:3"}]}
{"schema": "olm.bundle", "package": "r", "name": "r.v1.2.0", "image": "registry.example/r:4",
 "properties": [{"type": "olm.package", "value": {"packageName": "r", "version": "1.2.0+4"}}]}
{"schema": "olm.bundle", "package": "r", "name": "r.v1.3.0", "image": "",
 "properties": [{"type": "olm.package", "value": {"packageName": "r", "version": "1.3.0+2"}},
  {"type": "olm.bundle.object", "value": {"data": "CSV"}}]}
"#;

/// The base64 form of
/// `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":
/// {"name":"r.v1.3.0","annotations":{"olm.substitutesFor":"r.v1.2.0"}}}`.
const CSV: &str = "eyJhcGlWZXJzaW9uIjoib3BlcmF0b3JzLmNvcmVvcy5jb20vdjFhbHBoYTEiLCJraW5kIjoiQ2x1c3Rlcl\
    NlcnZpY2VWZXJzaW9uIiwibWV0YWRhdGEiOnsibmFtZSI6InIudjEuMy4wIiwiYW5ub3RhdGlvbnMiOnsib2xtLnN1Yn\
    N0aXR1dGVzRm9yIjoici52MS4yLjAifX19";

/// Writes all catalogs of this test to one folder. Some of their bundles contain manifests.
pub(super) fn written() -> TempFolder {
    let folder = TempFolder::empty();
    catalog(SHOP).write(&folder);
    catalog("inline: 1.0.0 -> 1.1.0 requires a >=1.0.0")
        .installable()
        .write(&folder);
    let write = |name: &str, content: &[u8]| {
        std::fs::write(folder.join(name), content).expect("the folder must be writable");
    };
    write("r.json", RELEASES.replace("CSV", CSV).as_bytes());
    write(
        "ferry.yaml",
        &std::fs::read(FERRY).expect("the fixture must be readable"),
    );
    folder
}

/// Returns the catalog in a folder.
fn on_disk(folder: &Path) -> Catalog {
    read_folder(folder).expect("the folder must be readable")
}

async fn read(registry: &Registry) -> Catalog {
    registry
        .read()
        .await
        .expect("the registry must be readable")
}

/// The content that must be the same from each source: the digests of the packages and of the
/// catalog, and the faults without their positions.
#[derive(Debug, PartialEq)]
struct Compared {
    packages: BTreeMap<String, Digest>,
    faults: Vec<(Option<String>, String)>,
    digest: Digest,
}

impl Compared {
    fn of(catalog: &Catalog) -> Self {
        let packages = catalog.packages.iter();
        let faults = catalog.faults.iter();
        let faults = faults.map(|fault| (fault.package.clone(), fault.defect.to_string()));
        let mut faults: Vec<_> = faults.collect();
        faults.sort();
        Self {
            packages: packages
                .map(|(name, package)| (name.to_string(), package.digest))
                .collect(),
            faults,
            digest: catalog.digest,
        }
    }
}

#[tokio::test]
async fn catalog_is_equal_from_files_and_from_opm() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let folder = written();
    let mut opm = Opm::serve(&folder)?;
    let from_opm = read(&opm.connect().await?).await;
    let expected = on_disk(&folder);
    assert_same!(Compared::of(&from_opm), Compared::of(&expected));
    let releases = |catalog: &Catalog| -> Vec<_> {
        let bundles = catalog.packages["r"].bundles.values();
        let releases = bundles.map(|bundle| bundle.release.as_ref().map(ToString::to_string));
        releases.collect()
    };
    assert_same!(
        releases(&from_opm),
        [Some("1"), None, Some("1"), None, Some("2")].map(|release| release.map(str::to_owned))
    );
    Ok(())
}

#[tokio::test]
async fn single_bundle_is_returned_with_all_fields() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let folder = written();
    let mut opm = Opm::serve(&folder)?;
    let registry = opm.connect().await?;
    let files = on_disk(&folder);
    let catalog = read(&registry).await;

    let offer = async |package: &str, name: &str| {
        let listed = &catalog.packages[package];
        let channel = listed.default_channel.as_ref().expect("a default channel");
        let name = &listed.bundles[name].name;
        let offer = registry.bundle(&listed.name, channel, name).await;
        offer.expect("the registry must know the bundle")
    };
    let with_image = offer("r", "r.v1.1.0-1").await;
    let expected = &files.packages["r"].bundles["r.v1.1.0-1"];
    assert_same!(with_image.bundle.display, expected.display);
    assert_same!(with_image.bundle.related_images, expected.related_images);
    assert_eq!(expected.display.name.as_deref(), Some("The R"));

    let inline = offer("inline", "inline.v1.1.0").await;
    let kinds: Vec<&str> = inline
        .properties
        .iter()
        .map(|(kind, _)| kind.as_str())
        .collect();
    assert_same!(kinds, ["olm.package", "olm.gvk", "olm.package.required"]);
    assert_eq!(inline.objects.len(), 2, "a CSV and a CRD");
    assert_eq!(inline.csv.as_ref(), inline.objects.first());
    Ok(())
}

#[tokio::test]
async fn ended_opm_is_noticed_at_once_and_read_after_restart() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let folder = catalog("a: 1.0.0").temp();
    let mut opm = Opm::serve(&folder)?;
    let port = opm.port();
    let registry = opm.connect().await?;
    let before = read(&registry).await;
    assert_eq!(
        registry.lost().now_or_never(),
        None,
        "the connection is still open"
    );

    drop(opm);
    let lost = timeout(SOON, registry.lost()).await;
    assert!(lost.is_ok(), "the loss must be noticed without a call");
    let error = registry.read().await.expect_err("no server");
    let sentence = error.to_string();
    assert!(
        sentence.starts_with("call ListBundles of the registry failed: "),
        "{sentence}"
    );

    let newer = catalog("a: 1.0.0 -> 1.1.0").temp();
    let mut opm = Opm::serve_on(port, &newer)?;
    let after = read(&opm.connect().await?).await;
    assert_ne!(after.digest, before.digest);
    assert_eq!(after.digest, on_disk(&newer).digest);
    Ok(())
}
