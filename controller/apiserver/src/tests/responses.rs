//! Tests of responses to single requests.

use std::time::Duration;

use portolan_core_installed::Resource;
use serde_json::json;
use tokio::time::sleep;

use super::pier::{ALL, HARBOR, Pier, csv};

const CREW: [(&str, &str); 2] = [("X-Remote-User", "mate"), ("X-Remote-Group", "crew")];
const TENANT: [(&str, &str); 1] = [("X-Remote-User", "harbor")];

#[tokio::test]
async fn subscription_values_are_shown_only_with_permission() {
    let pier = Pier::open().await;
    let mut front = pier.front().await;
    let response = front.asks("GET", HARBOR, &CREW).await;
    assert!(response.body.contains("secret"), "{response:?}");
    for target in [
        HARBOR,
        &format!("{HARBOR}/ferry.v1.0.0"),
        &format!("{HARBOR}?watch=1&timeoutSeconds=1"),
    ] {
        let response = front.asks("GET", target, &TENANT).await;
        assert!(
            response.body.contains("TOKEN") && !response.body.contains("secret"),
            "{response:?}"
        );
    }
}

#[tokio::test]
async fn write_requests_are_refused_even_with_a_large_body() {
    let pier = Pier::open().await;
    let mut front = pier.front().await;
    let body = "x".repeat(300_000);
    let length = body.len().to_string();
    let headers = [&CREW[..], &[("Content-Length", &*length)]].concat();
    front.sends("POST", HARBOR, &headers).await;
    let (response, ()) = {
        use tokio::io::AsyncWriteExt;
        front
            .stream
            .write_all(body.as_bytes())
            .await
            .expect("a body");
        (front.response().await, ())
    };
    assert_eq!(response.code, 405);
    assert!(
        response.head.contains("allow: GET, HEAD"),
        "{}",
        response.head
    );
    let message = "the server does not allow this method on the requested resource";
    assert_eq!(response.json()["message"], message);
    // The error about a missing permission takes precedence over the error about the method.
    let response = front
        .asks("DELETE", HARBOR, &[("X-Remote-User", "olm")])
        .await;
    assert_eq!(response.code, 403);
}

#[tokio::test]
async fn only_documents_are_served_before_the_first_sync() {
    let pier = Pier::pending().await;
    let mut front = pier.front().await;
    for target in [
        ALL,
        &format!("{HARBOR}/ferry.v1.0.0"),
        &format!("{HARBOR}?watch=1"),
    ] {
        let response = front.asks("GET", target, &CREW).await;
        assert_eq!(response.code, 503, "{response:?}");
        assert!(
            response.head.contains("retry-after: 1"),
            "{}",
            response.head
        );
    }
    for target in [
        "/apis",
        "/apis/packages.operators.coreos.com/v2alpha1",
        "/openapi/v3",
        "/openapi/v2",
    ] {
        assert_eq!(front.asks("GET", target, &CREW).await.code, 200, "{target}");
    }
}

#[tokio::test]
async fn list_waits_for_a_future_resource_version() {
    let mut pier = Pier::open().await;
    let mut front = pier.front().await;
    let version = "clusterserviceversions:9,namespaces:5,operatorgroups:6,operators:0,resourcemanifests:0,subscriptions:7";
    let target = format!("{HARBOR}?resourceVersion={version}");
    front.sends("GET", &target, &CREW).await;
    sleep(Duration::from_millis(200)).await;
    pier.put(Resource::ClusterServiceVersions, &csv("Failed"), 9);
    let response = front.response().await;
    assert_eq!(response.json()["metadata"]["resourceVersion"], version);

    let never = format!("{HARBOR}?resourceVersion={}", version.replace("9,", "99,"));
    let response = front.asks("GET", &never, &CREW).await;
    assert_eq!(response.code, 504, "{response:?}");
    let cause = &response.json()["details"]["causes"][0]["reason"];
    assert_eq!(*cause, "ResourceVersionTooLarge");
    let exact = format!(
        "{HARBOR}?resourceVersionMatch=Exact&resourceVersion={}",
        version.replace("9,", "8,")
    );
    assert_eq!(front.asks("GET", &exact, &CREW).await.code, 410);
}

#[tokio::test]
async fn list_larger_than_its_memory_budget_is_complete() {
    let mut pier = Pier::open().await;
    for at in 0..300 {
        let namespace = json!({"metadata": {"name": format!("n{at}")}});
        pier.put(Resource::Namespaces, &namespace, 10 + at);
    }
    let mut front = pier.front().await;
    let response = front.asks("GET", ALL, &CREW).await;
    let items = response.json()["items"].as_array().map(Vec::len);
    assert_eq!(items, Some(302));
    assert!(response.body.len() > 6_000_000, "{}", response.body.len());
    assert!(
        response.head.contains("transfer-encoding: chunked"),
        "{}",
        response.head
    );
}

#[tokio::test]
async fn list_can_be_paged_while_objects_change() {
    let mut pier = Pier::open().await;
    let mut front = pier.front().await;
    let first = front
        .asks("GET", &format!("{ALL}?limit=1"), &CREW)
        .await
        .json();
    pier.put(Resource::ClusterServiceVersions, &csv("Failed"), 9);
    let token = first["metadata"]["continue"].as_str().expect("a token");
    let last = front
        .asks("GET", &format!("{ALL}?limit=1&continue={token}"), &CREW)
        .await;
    let last = last.json();
    assert_eq!(last["items"][0]["metadata"]["namespace"], "olm");
    // Both pages have the same version, so a watch from this version receives the change between
    // the pages.
    assert_eq!(
        last["metadata"]["resourceVersion"],
        first["metadata"]["resourceVersion"]
    );
}
