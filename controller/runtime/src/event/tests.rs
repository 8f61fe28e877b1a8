use jiff::Timestamp;
use kube::Client;
use portolan_kit::Proxy;
use rstest::rstest;

use super::*;
use crate::lease::Fence;
use crate::metrics::Writes;

#[rstest]
#[case::as_long_as_can_be("a".repeat(236), "a".repeat(236))]
#[case::longer_than_the_limit("a".repeat(253), "a".repeat(236))]
#[case::truncated_before_a_dot(format!("{}.{}", "a".repeat(235), "b".repeat(17)), "a".repeat(235))]
fn long_event_name_is_truncated_before_its_time(#[case] owner: String, #[case] expected: String) {
    let at: Timestamp = "2026-01-02T03:04:05.678901Z".parse().expect("a time");
    assert_eq!(
        event_name(&owner, at, "u-1"),
        format!("{expected}.1886caf2450d68ba")
    );
}

#[rstest]
#[case::another_policy(("2026-01-02T03:04:05.678901Z", "u-2"), false)]
#[case::another_instant(("2026-01-02T03:04:05.678902Z", "u-1"), false)]
#[case::same_event_in_the_same_microsecond(("2026-01-02T03:04:05.678901999Z", "u-1"), true)]
fn event_name_depends_on_owner_and_time(#[case] (at, uid): (&str, &str), #[case] is_same: bool) {
    let name = |at: &str, uid| event_name("default.parent", at.parse().expect("a time"), uid);
    let is = name("2026-01-02T03:04:05.678901Z", "u-1") == name(at, uid);
    assert_eq!(is, is_same);
}

#[test]
fn event_name_contains_the_microseconds_of_the_history() {
    let at: Timestamp = "2026-01-02T03:04:05.678901Z".parse().expect("a time");
    for uid in 0..5_000 {
        let uid = uid.to_string();
        assert!(number(&uid) < 1_000);
        let name = event_name("etcd", at, &uid);
        let nanos = name.strip_prefix("etcd.").expect("the owner");
        let nanos = i64::from_str_radix(nanos, 16).expect("nanoseconds");
        assert_eq!(nanos / 1_000, at.as_microsecond());
    }
}

fn news() -> News {
    News {
        about: ObjectReference {
            name: Some("etcd".to_owned()),
            namespace: Some("local".to_owned()),
            ..ObjectReference::default()
        },
        related: None,
        is_warning: true,
        reason: "Sunk".to_owned(),
        action: "Sail".to_owned(),
        message: "it has sunk".to_owned(),
        at: "2026-01-02T03:04:05.678901Z".parse().expect("a time"),
        mark: "u-1".to_owned(),
    }
}

fn reconciled(uid: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some("etcd".to_owned()),
        namespace: Some("local".to_owned()),
        uid: Some(uid.to_owned()),
        ..ObjectMeta::default()
    }
}

/// Returns a client that never retries.
fn client(proxy: &Proxy) -> FencedClient {
    let mut config = kube::Config::new(proxy.url().parse().expect("a URL"));
    config.default_retry = false;
    let client = Client::try_from(config).expect("a client");
    FencedClient::new(client, Fence::open(), Writes::default())
}

/// An event that may not have been created is created again. A rejected event is not.
#[tokio::test]
async fn unconfirmed_event_is_retried_until_a_response() {
    let proxy = Proxy::before("http://127.0.0.1:1").await;
    let client = client(&proxy);
    let recorder = Recorder::new("ferries", "pod-1");
    let asked = || proxy.count("POST /api/v1/namespaces/local/events");

    proxy.answer("/", 429, 2);
    let lost = recorder.record(&client, &reconciled("u-1"), news()).await;
    assert!(matches!(lost, Err(WriteFailure::Lost(_))), "{lost:?}");
    let lost = recorder.settle(&client, &reconciled("u-1")).await;
    assert!(matches!(lost, Err(WriteFailure::Lost(_))), "{lost:?}");
    proxy.answer("/", 409, usize::MAX);
    assert_eq!(recorder.settle(&client, &reconciled("u-1")).await, Ok(()));
    assert_eq!(asked(), 3);
    assert_eq!(recorder.settle(&client, &reconciled("u-1")).await, Ok(()));
    assert_eq!(asked(), 3, "the event was sent");
}

#[tokio::test]
async fn recreated_object_has_no_pending_events() {
    let proxy = Proxy::before("http://127.0.0.1:1").await;
    let client = client(&proxy);
    let recorder = Recorder::new("ferries", "pod-1");
    proxy.answer("/", 429, usize::MAX);
    for uid in ["u-1", "u-2"] {
        let lost = recorder.record(&client, &reconciled(uid), news()).await;
        assert!(matches!(lost, Err(WriteFailure::Lost(_))), "{lost:?}");
    }
    let owed = |recorder: &Recorder| {
        let owed = recorder.owed();
        owed.values().map(|owed| owed.events.len()).sum::<usize>()
    };
    assert_eq!(owed(&recorder), 1);
    assert_eq!(recorder.settle(&client, &reconciled("u-3")).await, Ok(()));
    assert_eq!(owed(&recorder), 0);
}
