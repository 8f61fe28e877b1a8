//! Tests of opening and losing the connection to a registry.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use portolan_resolver::Catalogs;
use portolan_resolver::snapshot::{ContentOrigin, Rank, SourceObject};
use portolan_resolver::source::registry::{Dialer, ReadRegistry, Registry, RegistryLimits};
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use crate::registry::fake::{Asked, Fake, Then, listen, row};

/// The timeout of a test. It is long for busy machines. The wait usually takes only a moment.
const SOON: Duration = Duration::from_secs(10);

#[tokio::test]
async fn lost_connection_is_detected_without_a_call() {
    let mut running = Fake::of([row("a", "1.0.0")]).run();
    let registry = running.connect().await;
    registry.read().await.expect("the fake must be readable");
    assert_eq!(
        registry.lost().now_or_never(),
        None,
        "the connection is open"
    );

    running.stop();
    let lost = timeout(SOON, registry.lost()).await;
    lost.expect("the loss must be heard of");
    assert_eq!(registry.lost().now_or_never(), Some(()), "it stays lost");
    let error = registry.read().await.expect_err("the server is stopped");
    assert!(matches!(error, ReadRegistry::Call { .. }), "{error}");
}

/// Reads a server that stops after it has received enough requests. Returns the error.
async fn read_until(fake: Fake, is_reached: fn(&Asked) -> bool) -> ReadRegistry {
    let asked = Arc::clone(&fake.asked);
    let mut running = fake.run();
    let registry = running.connect().await;
    let kill = async {
        while !is_reached(&asked.lock().expect("the lock must not be poisoned")) {
            tokio::task::yield_now().await;
        }
        running.kill();
    };
    let ended = timeout(SOON, futures::future::join(registry.read(), kill)).await;
    let (read, ()) = ended.expect("the loss must be heard of");
    read.expect_err("an incomplete list must be an error")
}

#[tokio::test]
async fn server_stopped_within_a_row_stream_is_an_error() {
    let fake = Fake {
        then: Then::Silence,
        ..Fake::of([row("a", "1.0.0")])
    };
    let error = read_until(fake, |asked| asked.has_listed).await;
    let sentence = error.to_string();
    assert!(
        sentence.starts_with("call ListBundles of the registry failed: "),
        "{sentence}"
    );
}

#[tokio::test]
async fn server_stopped_between_packages_is_an_error() {
    let fake = Fake {
        thinking: Duration::from_secs(600),
        ..Fake::of([row("a", "1.0.0")])
    };
    let error = read_until(fake, |asked| asked.most_waiting > 0).await;
    let sentence = error.to_string();
    assert!(
        sentence.starts_with("call GetPackage of the registry failed: "),
        "{sentence}"
    );
}

#[tokio::test]
async fn connection_error_names_a_closed_address() {
    let (listener, address) = listen().await;
    drop(listener);
    let error = Registry::connect(&address, &Dialer::default())
        .await
        .expect_err("the port is closed");
    assert_eq!(error.to_string(), format!("cannot connect to {address}"));
    assert!(error.source().is_some());
}

#[tokio::test]
async fn server_without_the_registry_api_is_an_error() {
    let (listener, address) = listen().await;
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let greeting = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
        stream.write_all(greeting).await.unwrap();
        stream
    });
    let read = async {
        let registry = Registry::connect(&address, &Dialer::default()).await?;
        registry.read().await
    };
    let read = timeout(SOON, read).await.expect("it must end");
    assert!(read.is_err(), "that is no registry");
    drop(served.await);
}

#[tokio::test]
async fn silent_server_times_out() {
    let (_listener, address) = listen().await;
    let limits = RegistryLimits {
        stall: Duration::from_secs(1),
        ..RegistryLimits::default()
    };
    let registry = Registry::connect(&address, &Dialer::default()).await;
    let registry = registry.expect("it listens").with(limits);
    let error = timeout(SOON, registry.read()).await.expect("it must end");
    let error = error.expect_err("the server sent no answer");
    assert!(matches!(error, ReadRegistry::Stalled { .. }), "{error}");
}

#[tokio::test]
async fn new_connection_with_equal_content_notifies_no_watcher() {
    let running = Fake::of([row("a", "1.0.0")]).run();
    let name = "fleet".parse().expect("a name");
    let catalogs = Catalogs::new();
    catalogs.place(
        &name,
        SourceObject::local("Registry", "fleet".to_owned()),
        Rank::default(),
    );
    let mut snapshots = catalogs.watch();
    let mut connections = Vec::new();
    for _ in 0..2 {
        let registry = Arc::new(running.connect().await);
        let read = registry.read().await.expect("the fake must be readable");
        catalogs.read(&name, read, ContentOrigin::Registry(Arc::clone(&registry)));
        connections.push(registry);
        if connections.len() == 1 {
            snapshots.mark_unchanged();
        }
    }
    assert!(!snapshots.has_changed().expect("the sender lives"));
    let snapshot = snapshots.borrow().clone();
    let content = snapshot.offers[&name].content().expect("it was read");
    let ContentOrigin::Registry(origin) = content.origin() else {
        panic!("it comes from a registry");
    };
    assert!(Arc::ptr_eq(&origin, &connections[1]), "it is the newer one");
}
