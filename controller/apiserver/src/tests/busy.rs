//! Tests with many changes during lists and watches, and with callers that send many requests.

use portolan_core_installed::Resource;
use portolan_core_installed::apiserver::Tenant;
use serde_json::{Value, json};

use super::client::code;
use super::pier::{ALL, HARBOR, Pier, csv};
use crate::server::WATCHES_OF_ONE;

const CREW: [(&str, &str); 2] = [("X-Remote-User", "mate"), ("X-Remote-Group", "crew")];
const PARTIAL: (&str, &str) = (
    "Accept",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
);
const NAMESPACES: u64 = 520;

fn name(at: u64) -> String {
    format!("n{at:03}")
}

/// Returns a server with many namespaces. Their revisions start at 1000.
async fn large() -> Pier {
    let mut pier = Pier::open().await;
    for at in 0..NAMESPACES {
        let namespace = json!({"metadata": {"name": name(at)}});
        pier.put(Resource::Namespaces, &namespace, 1000 + at);
    }
    pier
}

#[tokio::test]
async fn next_page_is_served_after_many_changes() {
    let mut pier = large().await;
    let mut front = pier.front().await;
    let headers = [CREW[0], CREW[1], PARTIAL];
    let (mut listed, mut versions, mut revision) = (Vec::new(), Vec::new(), 2000);
    let mut target = format!("{ALL}?limit=100");
    loop {
        let answer = front.asks("GET", &target, &headers).await;
        assert_eq!(answer.code, 200, "{}", answer.body);
        let page = answer.json();
        let items = page["items"].as_array().expect("items").iter();
        listed.extend(items.map(|it| it["metadata"]["namespace"].clone().to_string()));
        versions.push(page["metadata"]["resourceVersion"].clone());
        let Value::String(token) = &page["metadata"]["continue"] else {
            break;
        };
        target = format!("{ALL}?limit=100&continue={token}");
        for _ in 0..20 {
            revision += 1;
            let phase = if revision % 2 == 0 {
                "Succeeded"
            } else {
                "Failed"
            };
            pier.put(Resource::ClusterServiceVersions, &csv(phase), revision);
        }
    }
    assert_eq!(listed.len(), 522);
    assert!(listed.is_sorted_by(|one, other| one < other));
    assert!(versions.iter().all(|it| *it == versions[0]), "{versions:?}");

    let version = versions[0].as_str().expect("a version");
    let watch = format!("{HARBOR}?watch=true&resourceVersion={version}&timeoutSeconds=1");
    let changes = front.asks("GET", &watch, &CREW).await;
    assert_eq!((changes.code, changes.body.lines().count()), (200, 100));
}

#[tokio::test]
async fn watch_of_unchanged_namespace_survives_changes_in_other_namespaces() {
    let mut pier = large().await;
    let version = pier.index.snapshot().version().to_string();
    let elsewhere: Vec<_> = (0..NAMESPACES).map(name).collect();
    let group = json!({
        "metadata": {"name": "many", "namespace": "n000"}, "status": {"namespaces": elsewhere},
    });
    pier.put(Resource::OperatorGroups, &group, 3000);
    for revision in 3001..3021 {
        let mut tug = csv("Succeeded");
        tug["metadata"] = json!({"name": "tug.v1.0.0", "namespace": "n000"});
        tug["status"]["message"] = json!(revision.to_string());
        pier.put(Resource::ClusterServiceVersions, &tug, revision);
    }
    let mut front = pier.front().await;
    let target = format!("{HARBOR}?watch=true&resourceVersion={version}");
    front.sends("GET", &target, &CREW).await;
    assert_eq!(code(&front.head().await), 200);
}

#[tokio::test]
async fn caller_at_its_watch_limit_is_refused_and_other_callers_are_served() {
    let pier = Pier::open().await;
    let mut front = pier.front().await;
    let harbor = Tenant::ServiceAccountsOf("harbor".to_owned());
    let take = |_| pier.watches.take(harbor.clone()).expect("a place");
    let taken: Vec<_> = (0..WATCHES_OF_ONE).map(take).collect();
    let target = format!("{HARBOR}?watch=true");
    for account in ["pilot", "another"] {
        let user = format!("system:serviceaccount:harbor:{account}");
        let headers = [("X-Remote-User", &*user), CREW[1]];
        let short = format!("{target}&timeoutSeconds=1");
        let refused = front.asks("GET", &short, &headers).await;
        assert_eq!(refused.code, 429);
        assert!(refused.head.contains("retry-after: 1"), "{}", refused.head);
        assert_eq!(
            refused.json()["message"],
            "too many watches of installed: the group of ServiceAccounts in namespace \"harbor\" \
             already has 256, the maximum for one caller; end some watches and retry"
        );
    }
    let refused = "portolan_apiserver_refused_total{verb=\"watch\",limit=\"caller\"} 2\n";
    let scraped = pier.scraped();
    assert!(scraped.contains(refused), "{scraped}");

    let mut other = pier.front().await;
    other.sends("GET", &target, &CREW).await;
    assert_eq!(code(&other.head().await), 200);
    drop(taken);
    let user = ("X-Remote-User", "system:serviceaccount:harbor:pilot");
    front.sends("GET", &target, &[user, CREW[1]]).await;
    assert_eq!(code(&front.head().await), 200);
}
