use std::time::Duration;

use portolan_core_catalog::Reading as Read;
use portolan_core_names::CatalogName;
use rstest::rstest;

use super::super::{CatalogNews, Otherwise};
use super::*;
use crate::snapshot::{CatalogState, Rank, Snapshot, SourceObject};

const WHY: &str = "connection refused";

fn content() -> Arc<Content> {
    let catalog = Catalog::of([Read::of("registry", b"{}")]);
    Arc::new(Content::new(catalog, ContentOrigin::folder("demo".into())))
}

fn why() -> SourceFailure {
    SourceFailure {
        code: "ReadRegistry",
        message: WHY.to_owned(),
    }
}

/// Returns the state of a new catalog after it has received this result.
fn state_after(heard: LastRead) -> CatalogState {
    let name: CatalogName = "demo".parse().expect("a name");
    let catalogs = Catalogs::new();
    catalogs.place(
        &name,
        SourceObject::local("Registry", "demo".to_owned()),
        Rank::default(),
    );
    let listener = CatalogListener {
        name: &name,
        catalogs: &catalogs,
        otherwise: &Otherwise::Nothing,
        heard: watch::channel(CatalogNews::Nothing).0,
    };
    heard.update(&listener);
    let snapshot: Arc<Snapshot> = catalogs.watch().borrow().clone();
    snapshot.offers[&name].state.clone()
}

#[rstest]
#[case::nothing_yet(None, None, "Pending")]
#[case::current_content(Some(content()), None, "Serving")]
#[case::previous_content_and_the_reason_why_it_may_be_outdated(
    Some(content()),
    Some(why()),
    "Stale"
)]
#[case::why_nothing_is_known(None, Some(why()), "Failed")]
fn late_catalog_gets_the_last_state_of_its_source(
    #[case] content: Option<Arc<Content>>,
    #[case] why: Option<SourceFailure>,
    #[case] expected: &str,
) {
    let heard = LastRead {
        content: content.clone(),
        why: why.clone(),
        ..LastRead::default()
    };
    let state = state_after(heard);
    let called = format!("{state:?}");
    assert!(called.starts_with(expected), "{called}");
    assert_eq!(state.why(), why.as_ref());
    let held = state.content().map(Arc::as_ptr);
    assert_eq!(held, content.as_ref().map(Arc::as_ptr));
}

/// Returns the identity of a registry that does not exist.
fn registry() -> Named {
    let address = "grpc://127.0.0.1:1".parse().expect("an address");
    Named::At(address, String::new())
}

#[tokio::test]
async fn source_is_read_while_a_catalog_uses_it() {
    let readings = Readings::of(&Catalogs::new(), &SourceAccess::default());
    let one = readings.reading(registry());
    let other = readings.reading(registry());
    assert!(Arc::ptr_eq(&one, &other), "for both it is read once");

    let mut heard = other.heard.clone();
    drop((one, other));
    let ended = async { while heard.changed().await.is_ok() {} };
    ended.await;
    let anew = readings.reading(registry());
    assert!(anew.heard.borrow().content.is_none());
}

#[tokio::test]
async fn changed_content_at_same_location_is_another_source() {
    let readings = Readings::of(&Catalogs::new(), &SourceAccess::default());
    let edition = |edition: &str| {
        let url = "http://127.0.0.1:1/catalogs/hub".to_owned();
        readings.reading(Named::At(Location::Catalogd(url), edition.to_owned()))
    };
    let one = edition("sha256:1");
    assert!(Arc::ptr_eq(&one, &edition("sha256:1")));
    assert!(!Arc::ptr_eq(&one, &edition("sha256:2")));
}

#[tokio::test]
async fn equal_content_read_again_stays_shared() {
    let (sender, heard) = watch::channel(LastRead::default());
    let listener = SharedListener {
        texts: Arc::default(),
        heard: sender,
    };
    let read = || Catalog::of([Read::of("registry", b"{}")]);
    listener.read(read(), ContentOrigin::folder("demo".into()));
    let before = heard.borrow().content.clone().map(|it| Arc::as_ptr(&it));
    listener.lost(why());
    listener.read(read(), ContentOrigin::folder("demo".into()));
    let now = heard.borrow().clone();
    assert_eq!(now.content.map(|it| Arc::as_ptr(&it)), before);
    assert_eq!(now.why, None);
}

fn listener() -> (SharedListener, watch::Receiver<LastRead>) {
    let (sender, heard) = watch::channel(LastRead::default());
    let texts = Arc::clone(Catalogs::new().texts());
    let heard_by = SharedListener {
        texts,
        heard: sender,
    };
    (heard_by, heard)
}

#[tokio::test(start_paused = true)]
async fn reader_dropped_by_the_runtime_is_awaited() {
    let (reader, mut heard) = listener();
    drop(reader);
    let waited = tokio::time::timeout(Duration::from_secs(60), next(&mut heard)).await;
    assert!(waited.is_err(), "{waited:?}");
}

#[tokio::test]
#[should_panic(expected = "reading a source must not panic")]
async fn panicked_reader_is_not_awaited() {
    let (reader, mut heard) = listener();
    let read = tokio::spawn(async move {
        let _reader = reader;
        panic!("a fault of the reader");
    });
    read.await.expect_err("it panics");
    next(&mut heard).await;
}
