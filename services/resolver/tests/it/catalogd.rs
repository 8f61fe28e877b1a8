//! Tests of reading from a server like catalogd: content, compression and revalidation.

use std::collections::BTreeSet;
use std::time::Duration;

use portolan_core_catalog::{Catalog, Digest, Reading};
use portolan_kit::catalogd::{Asked, Catalogd as Server, json_lines};
use portolan_kit::{TempFolder, assert_same, catalog, real_catalog};
use portolan_resolver::source::catalogd::{Catalogd, Edition, Options, Read};
use portolan_resolver::source::registry::Dialer;
use portolan_resolver::source::{self, Location};
use rstest::rstest;

/// Returns enough packages for a body of many chunks.
fn shop(packages: usize) -> portolan_kit::Catalog {
    let text: String = (0..packages)
        .map(|n| format!("p{n}[stable, fast]: 1.0.{n} -> 1.1.0 -> 2.0.0\n"))
        .collect();
    catalog(&text)
}

fn at(server: &Server) -> Catalogd {
    let options = Options {
        answer: Duration::from_secs(10),
        stall: Duration::from_secs(10),
        ..Options::default()
    };
    Catalogd::new(&server.url(), options).expect("the URL must be one of a catalog")
}

async fn changed(catalogd: &Catalogd, last: Option<&Edition>) -> (Catalog, Edition) {
    match catalogd.read(last).await.expect("it must be readable") {
        Read::Changed(catalog, edition) => (catalog, edition),
        Read::Unchanged => panic!("there must be something new"),
    }
}

fn digests(catalog: &Catalog) -> (Digest, Digest) {
    (catalog.digest, catalog.display_digest)
}

fn of_folder(folder: &std::path::Path) -> Catalog {
    source::read_folder(folder).expect("the folder must be readable")
}

#[tokio::test]
async fn catalogd_content_has_the_digests_of_its_folder() {
    let shop = shop(50);
    let server = Server::of("demo", shop.to_json_lines()).await;
    let (read, _) = changed(&at(&server), None).await;
    assert_same!(read.faults, []);
    assert_eq!(read.packages.len(), 50);
    assert_eq!(digests(&read), digests(&of_folder(&shop.temp())));
    let place = &read.packages["p7"].place;
    assert_eq!(&*place.file, "api/v1/all");
}

#[tokio::test]
async fn copies_of_a_catalogd_catalog_are_equal() {
    let shop = shop(50);
    let server = Server::of("demo", shop.to_json_lines()).await;
    let (read, _) = changed(&at(&server), None).await;
    let (first, second) = (TempFolder::empty(), TempFolder::empty());
    let from_server: Location = server.url().parse().expect("a URL");
    let from_files = Location::Folder(first.to_path_buf());
    for (from, to) in [(from_server, &first), (from_files, &second)] {
        let reach = source::SourceAccess::default();
        let copied = from
            .copy((&reach, &Dialer::default()), BTreeSet::new(), to)
            .await;
        copied.expect("a copy");
        assert_eq!(digests(&of_folder(to)), digests(&read));
    }
}

#[tokio::test]
async fn a_real_catalog_has_the_digests_of_its_folder() {
    let Some(folder) = real_catalog("community-v4.20") else {
        return;
    };
    let server = Server::of("community", json_lines(&folder)).await;
    let (read, edition) = changed(&at(&server), None).await;
    let expected = of_folder(&folder);
    assert_same!(read.faults, []);
    assert_eq!(read.packages.len(), 37);
    assert_eq!(digests(&read), digests(&expected));
    let again = at(&server).read(Some(&edition)).await;
    assert!(matches!(again, Ok(Read::Unchanged)), "{again:?}");
}

#[tokio::test]
async fn long_content_is_compressed_and_short_content_is_not() {
    let server = Server::of("demo", shop(50).to_json_lines()).await;
    let catalogd = at(&server);
    let (long, edition) = changed(&catalogd, None).await;
    server.replace(shop(1).to_json_lines());
    let (short, _) = changed(&catalogd, Some(&edition)).await;
    assert_eq!((long.packages.len(), short.packages.len()), (50, 1));
    let zipped: Vec<_> = server.asked().iter().map(|asked| asked.is_zipped).collect();
    assert_eq!(zipped, [true, false]);
}

/// Every request uses the same connection, with and without compressed bodies.
#[rstest]
#[case::short(1)]
#[case::long(50)]
#[tokio::test]
async fn unchanged_content_is_revalidated_without_a_body(#[case] packages: usize) {
    let server = Server::of("demo", shop(packages).to_json_lines()).await;
    let catalogd = at(&server);
    let (_, edition) = changed(&catalogd, None).await;
    for _ in 0..3 {
        let read = catalogd.read(Some(&edition)).await;
        assert!(matches!(read, Ok(Read::Unchanged)), "{read:?}");
    }
    server.replace(shop(2).to_json_lines());
    let (read, edition) = changed(&catalogd, Some(&edition)).await;
    assert_eq!(read.packages.len(), 2);
    let read = catalogd.read(Some(&edition)).await;
    assert!(matches!(read, Ok(Read::Unchanged)), "{read:?}");
    assert_eq!(server.statuses(), [200, 304, 304, 304, 200, 304]);
    assert!(
        server.asked().iter().all(|asked| asked.connection == 1),
        "{:?}",
        server.asked()
    );
}

#[tokio::test]
async fn content_changed_in_the_same_second_is_detected() {
    let server = Server::of("demo", "").await;
    let catalogd = at(&server);
    server.replace_in_a_hurry(shop(1).to_json_lines());
    let (first, edition) = changed(&catalogd, None).await;
    server.replace_in_a_hurry(shop(2).to_json_lines());
    let (second, _) = changed(&catalogd, Some(&edition)).await;
    assert_eq!((first.packages.len(), second.packages.len()), (1, 2));
}

#[tokio::test]
async fn content_with_an_older_time_is_detected() {
    let server = Server::of("demo", shop(1).to_json_lines()).await;
    let catalogd = at(&server);
    let (_, edition) = changed(&catalogd, None).await;
    server.replace_by_older(shop(2).to_json_lines());
    let (read, edition) = changed(&catalogd, Some(&edition)).await;
    assert_eq!(read.packages.len(), 2);
    let read = catalogd.read(Some(&edition)).await;
    assert!(matches!(read, Ok(Read::Unchanged)), "{read:?}");
    // The server compares times and once reported "unchanged" for older content, so the catalog was
    // requested again.
    assert_eq!(server.statuses(), [200, 304, 200, 304]);
}

/// The modification times of the contents differ by a second, so no content has to be read twice.
#[tokio::test]
async fn entity_tag_takes_precedence_over_the_modification_time() {
    let server = Server::of("demo", "").await;
    server.send_tags();
    let catalogd = at(&server);
    server.replace_in_a_hurry(shop(1).to_json_lines());
    let (_, edition) = changed(&catalogd, None).await;
    let read = catalogd.read(Some(&edition)).await;
    assert!(matches!(read, Ok(Read::Unchanged)), "{read:?}");
    server.replace_in_a_hurry(shop(2).to_json_lines());
    let (read, _) = changed(&catalogd, Some(&edition)).await;
    assert_eq!(read.packages.len(), 2);
    assert_eq!(server.statuses(), [200, 304, 200]);
}

#[tokio::test]
async fn invalid_document_in_the_content_is_reported_as_a_fault() {
    let broken = shop(2).to_json_lines() + "{\"schema\": \"olm.package\", \"name\": \n";
    let lines = broken.lines().count();
    let server = Server::of("demo", broken.clone()).await;
    let (read, _) = changed(&at(&server), None).await;
    assert_eq!(read.packages.len(), 2);
    assert_eq!(read.faults.len(), 1);
    assert!(
        read.faults[0]
            .to_string()
            .starts_with(&format!("api/v1/all:{lines}: "))
    );
    let in_memory = Catalog::of([Reading::of("api/v1/all", broken.as_bytes())]);
    assert_same!(read, in_memory);
}

#[tokio::test]
async fn empty_catalog_is_valid() {
    let server = Server::of("demo", "").await;
    let (read, _) = changed(&at(&server), None).await;
    assert_same!(read, Catalog::of::<Reading>([]));
}

#[tokio::test]
async fn content_url_is_accepted_like_the_base_url() {
    let server = Server::of("demo", shop(1).to_json_lines()).await;
    for url in [server.url() + "/", server.url() + "/api/v1/all"] {
        let catalogd = Catalogd::new(&url, Options::default()).expect("the URL must be read");
        changed(&catalogd, None).await;
    }
    let expected = [1, 2].map(|connection| Asked {
        connection,
        status: 200,
        is_zipped: false,
    });
    assert_same!(server.asked(), expected);
}
