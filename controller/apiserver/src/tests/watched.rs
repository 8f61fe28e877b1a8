//! Tests of watches.

use std::time::Duration;

use portolan_core_installed::Resource;
use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::client::{Client, code};
use super::pier::{ALL, HARBOR, Pier, csv};

const CREW: [(&str, &str); 2] = [("X-Remote-User", "mate"), ("X-Remote-Group", "crew")];
/// The version of the first Installed objects.
const VERSION: &str = "clusterserviceversions:8,namespaces:5,operatorgroups:6,operators:0,resourcemanifests:0,subscriptions:7";

/// Reads the next chunk and returns its frames.
async fn frames(client: &mut Client) -> Vec<Value> {
    let chunk = timeout(Duration::from_secs(10), client.chunk()).await;
    let chunk = chunk.expect("it must come in time").unwrap_or_default();
    let frames = chunk.lines().map(serde_json::from_str);
    frames.collect::<Result<_, _>>().expect("JSON")
}

fn summaries(frames: &[Value]) -> Vec<String> {
    let frames = frames.iter().map(|frame| {
        let object = &frame["object"];
        let phase = object.pointer("/status/clusterServiceVersion/status/phase");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!(
            "{} {} {}",
            text(&frame["type"]),
            text(&object["metadata"]["namespace"]),
            phase.map(text).unwrap_or_default(),
        )
    });
    frames.map(|line| line.trim_end().to_owned()).collect()
}

#[tokio::test]
async fn watch_sends_existing_objects_and_changes() {
    let mut pier = Pier::open().await;
    let mut front = pier.front().await;
    front
        .sends("GET", &format!("{ALL}?watch=true"), &CREW)
        .await;
    assert_eq!(code(&front.head().await), 200);
    let there = frames(&mut front).await;
    assert_eq!(
        summaries(&there),
        ["ADDED harbor Succeeded", "ADDED olm Succeeded"]
    );
    pier.put(Resource::ClusterServiceVersions, &csv("Failed"), 9);
    let changed = frames(&mut front).await;
    assert_eq!(
        summaries(&changed),
        ["MODIFIED harbor Failed", "MODIFIED olm Failed"]
    );
    assert_eq!(pier.metrics.watches.get(), 1);
}

#[tokio::test]
async fn watch_sends_its_headers_at_once() {
    let pier = Pier::open().await;
    let mut front = pier.front().await;
    let target = format!("{HARBOR}?watch=true&resourceVersion={VERSION}");
    front.sends("GET", &target, &CREW).await;
    let head = timeout(Duration::from_secs(2), front.head()).await;
    let head = head.expect("it must come although nothing happens");
    assert!(
        head.contains("content-type: application/json\r\n"),
        "{head}"
    );
}

#[tokio::test]
async fn initial_events_end_with_a_bookmark() {
    let pier = Pier::open().await;
    let mut front = pier.front().await;
    let target = format!(
        "{HARBOR}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    );
    front.sends("GET", &target, &CREW).await;
    front.head().await;
    let mut all = frames(&mut front).await;
    all.extend(frames(&mut front).await);
    assert_eq!(summaries(&all), ["ADDED harbor Succeeded", "BOOKMARK"]);
    let metadata = &all[1]["object"]["metadata"];
    assert_eq!(metadata["resourceVersion"], VERSION);
    assert_eq!(metadata["annotations"]["k8s.io/initial-events-end"], "true");
}

#[tokio::test]
async fn watch_resumes_from_a_version_unless_it_is_too_old() {
    let mut pier = Pier::open().await;
    pier.put(Resource::ClusterServiceVersions, &csv("Failed"), 9);
    let mut front = pier.front().await;
    let target = format!("{HARBOR}?watch=true&resourceVersion={VERSION}");
    front.sends("GET", &target, &CREW).await;
    front.head().await;
    assert_eq!(
        summaries(&frames(&mut front).await),
        ["MODIFIED harbor Failed"]
    );

    let mut front = pier.front().await;
    let old = VERSION.replace("namespaces:5", "namespaces:4");
    let response = front
        .asks(
            "GET",
            &format!("{HARBOR}?watch=true&resourceVersion={old}"),
            &CREW,
        )
        .await;
    assert_eq!(
        (response.code, &response.json()["reason"]),
        (410, &Value::from("Expired"))
    );
}

#[tokio::test]
async fn watch_ends_at_its_timeout_with_a_bookmark() {
    let pier = Pier::open().await;
    let mut front = pier.front().await;
    let target = format!(
        "{HARBOR}?watch=true&resourceVersion={VERSION}&allowWatchBookmarks=true&timeoutSeconds=1"
    );
    let response_all = front.asks("GET", &target, &CREW).await;
    let all: Vec<Value> = response_all
        .body
        .lines()
        .map(|it| serde_json::from_str(it).expect("JSON"))
        .collect();
    assert_eq!(summaries(&all), ["BOOKMARK"]);
    assert_eq!(pier.metrics.watches.get(), 0);
}

#[tokio::test]
async fn stalled_watcher_must_list_again_and_delays_no_other_watchers() {
    let mut pier = Pier::open().await;
    let mut slow = pier.front().await;
    slow.sends("GET", &format!("{ALL}?watch=true"), &CREW).await;
    slow.head().await;
    let mut fast = pier.front().await;
    fast.sends(
        "GET",
        &format!("{HARBOR}?watch=true&resourceVersion={VERSION}"),
        &CREW,
    )
    .await;
    fast.head().await;
    // These are more events than the history and the socket buffers can hold. Socket buffers may
    // grow to tens of megabytes.
    for revision in 9..9009 {
        let phase = if revision % 2 == 0 {
            "Failed"
        } else {
            "Succeeded"
        };
        pier.put(Resource::ClusterServiceVersions, &csv(phase), revision);
        if revision % 100 == 0 {
            assert!(!frames(&mut fast).await.is_empty());
        }
    }
    let mut last = String::new();
    let soon = Duration::from_secs(30);
    while let Some(chunk) = timeout(soon, slow.chunk()).await.expect("it must end") {
        last = chunk;
    }
    let last = last.lines().last().expect("a frame");
    let last: Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(
        (&last["type"], &last["object"]["code"]),
        (&"ERROR".into(), &410.into())
    );
}

#[tokio::test]
async fn watches_end_with_complete_events_when_the_server_stops() {
    let mut pier = Pier::open().await;
    let mut front = pier.front().await;
    let target = format!("{HARBOR}?watch=true&resourceVersion={VERSION}");
    front.sends("GET", &target, &CREW).await;
    front.head().await;
    sleep(Duration::from_millis(100)).await;
    pier.stop();
    let end = timeout(Duration::from_secs(10), front.chunk()).await;
    assert_eq!(end.expect("it must end in time"), None);
    let ended = timeout(Duration::from_secs(5), &mut pier.running).await;
    ended.expect("the server must end").expect("well");
}
