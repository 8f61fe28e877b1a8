//! Tests that documents can be read again from the location where they were found.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use portolan_core_catalog::{Catalog, CatalogPlace, Limits, Property, raw};
use portolan_kit::catalogd::{Catalogd as Server, Trouble};
use portolan_kit::{TempFolder, assert_same, catalog, real_catalog};
use portolan_resolver::source::catalogd::{Catalogd, Edition, Options, Read, ReadDocument};
use portolan_resolver::source::{self, folder_document as document};
use rstest::rstest;

const SHORT: Duration = Duration::from_millis(150);

/// Returns a catalog. A catalog with one package is too short to be compressed.
fn shop(packages: usize) -> portolan_kit::Catalog {
    let text: String = (7..7 + packages)
        .map(|n| format!("p{n}: 1.0.{n} -> 1.1.0 provides g{n}.test/v1/Kind\n"))
        .collect();
    catalog(&text)
}

async fn read(server: &Server, options: Options) -> (Catalogd, Catalog, Edition) {
    let catalogd = Catalogd::new(&server.url(), options).expect("the URL must be read");
    match catalogd.read(None).await {
        Ok(Read::Changed(catalog, edition)) => (catalogd, catalog, edition),
        other => panic!("it must be readable: {other:?}"),
    }
}

fn of_folder(path: &Path) -> Catalog {
    source::read_folder(path).expect("the folder must be readable")
}

/// Returns the location of one document in the catalog.
fn place(catalog: &Catalog) -> &CatalogPlace {
    &catalog.packages["p7"].bundles["p7.v1.1.0"].place
}

#[rstest]
#[tokio::test]
async fn every_document_of_catalogd_is_read_again(
    #[values(1, 20)] packages: usize,
    #[values(false, true)] has_tags: bool,
) {
    let server = Server::of("demo", shop(packages).to_json_lines()).await;
    if has_tags {
        server.send_tags();
    }
    let (catalogd, catalog, edition) = read(&server, Options::default()).await;
    for package in catalog.packages.values() {
        let bytes = catalogd.document(&package.place, &edition).await;
        let bytes = bytes.expect("the document must be there");
        raw::Package::of(&bytes, package, &Limits::default()).expect("it must be the same");
        for bundle in package.bundles.values() {
            let bytes = catalogd.document(&bundle.place, &edition).await;
            let bytes = bytes.expect("the document must be there");
            let raw = raw::Bundle::of(&bytes, bundle, &Limits::default());
            let kinds: Vec<_> = raw
                .expect("it must be the same")
                .properties
                .into_iter()
                .map(|Property { kind, .. }| kind)
                .collect();
            assert_eq!(kinds[0].as_ref(), "olm.package");
        }
    }
    let asked = server.asked();
    assert!(
        asked[1..]
            .iter()
            .all(|asked| asked.status == 206 && !asked.is_zipped)
    );
    assert_eq!(asked.len(), 1 + packages + 2 * packages);
    assert!(asked.iter().all(|asked| asked.connection == 1));
}

/// The content grows, shrinks, or moves by one byte. The modification time or the tag of the
/// content shows the change.
#[rstest]
#[tokio::test]
async fn changed_catalog_is_noticed(
    #[values("{\"schema\": \"other\"}\n", "", " ")] before: &str,
    #[values(1, 20)] packages: usize,
    #[values(false, true)] has_tags: bool,
) {
    let content = shop(packages).to_json_lines();
    let server = Server::of("demo", content.clone()).await;
    if has_tags {
        server.send_tags();
    }
    let (catalogd, catalog, edition) = read(&server, Options::default()).await;
    server.replace(match before {
        "" => String::new(),
        before => before.to_owned() + &content,
    });
    let error = catalogd.document(place(&catalog), &edition).await;
    assert!(matches!(error, Err(ReadDocument::Changed)), "{error:?}");
    assert_eq!(server.statuses(), [200, 412]);
}

/// HTTP conditions only detect a later time, so a server may send older content.
#[tokio::test]
async fn document_of_replaced_content_is_reported_as_changed() {
    let content = shop(20).to_json_lines();
    let server = Server::of("demo", content.clone()).await;
    let (catalogd, catalog, edition) = read(&server, Options::default()).await;
    server.replace_by_older(content.clone());
    let error = catalogd.document(place(&catalog), &edition).await;
    assert!(matches!(error, Err(ReadDocument::Changed)), "{error:?}");
    server.replace_by_older("");
    let error = catalogd.document(place(&catalog), &edition).await;
    assert!(matches!(error, Err(ReadDocument::Changed)), "{error:?}");
    assert_eq!(server.statuses(), [200, 206, 416]);
}

/// The locations of one edition are never used for another edition, even after several reads.
#[tokio::test]
async fn document_location_is_valid_only_for_its_edition() {
    let server = Server::of("demo", shop(20).to_json_lines()).await;
    let (catalogd, old, old_edition) = read(&server, Options::default()).await;
    server.replace(catalog("p0: 0.1.0").to_json_lines() + &shop(20).to_json_lines());
    let (_, new, new_edition) = read(&server, Options::default()).await;
    let error = catalogd.document(place(&old), &old_edition).await;
    assert!(matches!(error, Err(ReadDocument::Changed)), "{error:?}");
    let bytes = catalogd.document(place(&new), &new_edition).await.unwrap();
    let bundle = &new.packages["p7"].bundles["p7.v1.1.0"];
    raw::Bundle::of(&bytes, bundle, &Limits::default()).expect("it must be the same");
}

#[rstest]
#[case::refused(Trouble::Status(500), "500 Internal Server Error")]
#[case::gone(Trouble::Status(404), "has no catalog with this name")]
#[case::whole(Trouble::Status(200), "the server does not support range requests")]
#[case::cut(Trouble::Cut(10), "cannot receive the response")]
#[tokio::test]
async fn failing_server_is_an_error(#[case] trouble: Trouble, #[case] why: &str) {
    in_trouble(trouble, Options::default(), why).await;
}

#[rstest]
#[case::stalled(
    Trouble::Stall(10),
    Options { stall: SHORT, ..Options::default() },
    "no data was received for 150ms"
)]
#[case::silent(
    Trouble::Silence,
    Options { answer: SHORT, ..Options::default() },
    "did not answer within 150ms"
)]
#[tokio::test]
async fn stopped_server_times_out(
    #[case] trouble: Trouble,
    #[case] options: Options,
    #[case] why: &str,
) {
    in_trouble(trouble, options, why).await;
}

async fn in_trouble(trouble: Trouble, options: Options, why: &str) {
    let server = Server::of("demo", shop(20).to_json_lines()).await;
    let (_, catalog, edition) = read(&server, Options::default()).await;
    server.make(trouble);
    let catalogd = Catalogd::new(&server.url(), options).expect("the URL must be read");
    let error = catalogd.document(place(&catalog), &edition).await;
    let message = error.expect_err("it must be a failure").to_string();
    assert!(message.contains(why), "{message}");
}

fn zipped(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(text.as_bytes())
        .expect("memory must be writable");
    encoder.finish().expect("memory must be writable")
}

#[rstest]
#[case::yaml("c.yaml", shop(20).to_yaml().into_bytes())]
#[case::json("deep/c.json", shop(20).to_json_lines().into_bytes())]
#[case::zipped_yaml("c.yaml.gz", zipped(&shop(20).to_yaml()))]
#[case::zipped_json("c.jsonl.gz", zipped(&shop(20).to_json_lines()))]
fn every_document_of_a_folder_is_read_again(#[case] file: &str, #[case] content: Vec<u8>) {
    let folder = TempFolder::empty();
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    for root in [&*folder, &path] {
        let catalog = of_folder(root);
        assert_same!(
            reread(root, &catalog),
            BTreeMap::from([("bundles", 40), ("packages", 20)])
        );
    }
}

/// Reads the documents of the catalog again. Returns how many documents are unchanged.
fn reread(root: &Path, catalog: &Catalog) -> BTreeMap<&'static str, usize> {
    let mut same = BTreeMap::new();
    for package in catalog.packages.values() {
        let bytes = document(root, &package.place).expect("the document must be there");
        raw::Package::of(&bytes, package, &Limits::default()).expect("it must be the same");
        *same.entry("packages").or_default() += 1;
        for bundle in package.bundles.values() {
            let bytes = document(root, &bundle.place).expect("the document must be there");
            let raw = raw::Bundle::of(&bytes, bundle, &Limits::default());
            let raw = raw.unwrap_or_else(|error| panic!("{}: {error}", bundle.name));
            assert_same!(raw.faults, []);
            *same.entry("bundles").or_default() += 1;
        }
    }
    same
}

#[test]
fn every_document_of_a_real_catalog_is_read_again() {
    let Some(folder) = real_catalog("community-v4.20") else {
        return;
    };
    let catalog = of_folder(&folder);
    let expected = BTreeMap::from([("bundles", 803), ("packages", 37)]);
    assert_same!(reread(&folder, &catalog), expected);
}

#[test]
fn shortened_or_missing_file_is_an_error() {
    let folder = TempFolder::empty();
    let path = folder.join("c.yaml");
    fs::write(&path, shop(20).to_yaml()).unwrap();
    let catalog = of_folder(&folder);
    fs::write(&path, "---\n").unwrap();
    let error = document(&folder, place(&catalog)).expect_err("there is nothing there");
    let start = format!("cannot read a document again from {}", path.display());
    assert_eq!(error.to_string(), start);
    fs::remove_file(&path).unwrap();
    assert!(document(&folder, place(&catalog)).is_err());
}
