//! Tests of the events of a watch: each relevant change is sent once.

use std::time::Duration;

use portolan_proto::health::v1::verdict::State;
use serde_json::json;
use tokio::time::Instant;

use crate::{
    Asking, News, PATIENCE, Stage, crashing, edited, facts, failing, is, version, well, without,
};

#[tokio::test]
async fn watch_sends_all_objects_in_order_and_then_synced() {
    let stage = Stage::of(&well(&["b", "a"]));
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.listen("").await;
    let mut events = Vec::new();
    for _ in 0..4 {
        events.push(news.next_event().await);
    }
    let all = [
        "Subscription a-system/a YES",
        "Subscription b-system/b YES",
        "CatalogSource olm/shop NOT_YET RegistryNotProbed",
        "synced",
    ];
    assert_eq!(events, all);

    let mut news = asking.listen("b-system").await;
    assert_eq!(news.next_event().await, "Subscription b-system/b YES");
    assert_eq!(news.next_event().await, "synced");
    stage.show(&failing(&failing(&well(&["b", "a"]), "a"), "b"));
    assert_eq!(
        news.next_event().await,
        "Subscription b-system/b NO DeploymentUnavailable"
    );
}

#[tokio::test]
async fn new_resource_version_sends_no_event_and_is_stored() {
    let world = well(&["a", "b"]);
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    let newer = edited(&world, "Deployment", "a", |deployment| {
        deployment["metadata"]["resourceVersion"] = json!("7");
    });
    stage.show(&newer);
    asking.until("a", |a| version(a, "Deployment") == "7").await;
    stage.show(&failing(&newer, "b"));
    assert_eq!(
        news.next_event().await,
        "Subscription b-system/b NO DeploymentUnavailable"
    );
    stage.show(&newer);
    assert_eq!(news.next_event().await, "Subscription b-system/b YES");
}

#[tokio::test]
async fn another_restart_sends_no_event_and_is_stored() {
    let world = failing(&well(&["a", "b"]), "a");
    let stage = Stage::of(&crashing(&world, "a", 4));
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    let details = |a: &crate::pb::Operator| {
        let facts = facts(a);
        facts
            .iter()
            .map(|fact| fact.detail.clone())
            .collect::<String>()
    };
    let before = asking.named("a").await;
    let before = details(&before);
    let more = crashing(&world, "a", 5);
    stage.show(&more);
    asking.until("a", |a| details(a) != before).await;
    stage.show(&failing(&more, "b"));
    assert_eq!(
        news.next_event().await,
        "Subscription b-system/b NO DeploymentUnavailable"
    );
}

#[tokio::test]
async fn watch_reports_deleted_and_recreated_objects() {
    let world = well(&["a", "b"]);
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    let other = without(&world, |object| {
        object["metadata"]["namespace"] == "a-system"
    });
    stage.show(&other);
    assert_eq!(news.next_event().await, "Subscription a-system/a gone");
    stage.show(&world);
    assert_eq!(news.next_event().await, "Subscription a-system/a YES");
    stage.show(&without(&world, |object| object["kind"] == "CatalogSource"));
    assert_eq!(news.next_event().await, "CatalogSource olm/shop gone");
    // The deleted catalog changes the facts of both operators.
    for _ in 0..2 {
        let event = news.next_event().await;
        assert!(event.starts_with("Subscription "), "{event}");
    }
    stage.show(&failing(&world, "b"));
    let mut rest = Vec::new();
    for _ in 0..3 {
        rest.push(news.next_event().await);
    }
    let back = [
        "Subscription a-system/a YES",
        "Subscription b-system/b NO DeploymentUnavailable",
        "CatalogSource olm/shop NOT_YET RegistryNotProbed",
    ];
    assert_eq!(rest, back);
}

#[tokio::test]
async fn deleted_subscription_renames_its_operator() {
    let world = well(&["a"]);
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    stage.show(&without(&world, |object| object["kind"] == "Subscription"));
    assert_eq!(news.next_event().await, "Subscription a-system/a gone");
    let event = news.next_event().await;
    assert!(
        event.starts_with("ClusterServiceVersion a-system/a.v1.0.0 "),
        "{event}"
    );
}

#[tokio::test]
async fn slow_watcher_receives_only_the_last_state() {
    let world = well(&["a", "b"]);
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    for _ in 0..5 {
        stage.show(&failing(&world, "a"));
        asking.until("a", |a| is(a, State::No)).await;
        stage.show(&world);
        asking.until("a", |a| is(a, State::Yes)).await;
    }
    stage.show(&failing(&world, "b"));
    assert_eq!(
        news.next_event().await,
        "Subscription b-system/b NO DeploymentUnavailable"
    );
}

#[tokio::test(start_paused = true)]
async fn idle_watch_sends_heartbeats() {
    let world = well(&["a"]);
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    for number in 0..3 {
        let before = Instant::now();
        // A change of only the resource version causes no event, so the heartbeat is not delayed.
        let newer = edited(&world, "Subscription", "a", |subscription| {
            subscription["metadata"]["resourceVersion"] = json!(number.to_string());
        });
        tokio::time::advance(Duration::from_secs(10)).await;
        stage.show(&newer);
        assert_eq!(news.next_event().await, "heartbeat");
        assert_eq!(before.elapsed(), Duration::from_secs(30));
    }
}

#[tokio::test]
async fn crd_change_affects_only_operators_that_refer_to_it() {
    let world = edited(
        &well(&["a", "b"]),
        "ClusterServiceVersion",
        "a.v1.0.0",
        |csv| {
            let owned = json!([{"name": "as.a.example", "version": "v1", "kind": "A"}]);
            csv["spec"]["customresourcedefinitions"]["owned"] = owned;
        },
    );
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    assert!(is(&asking.named("a").await, State::No));
    let crd = |version: &str| {
        let condition = |kind| json!({"type": kind, "status": "True"});
        world.clone().object(json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "as.a.example", "resourceVersion": version},
            "spec": {"versions": [{"name": "v1", "served": true, "storage": true}]},
            "status": {
                "storedVersions": ["v1"],
                "conditions": [condition("Established"), condition("NamesAccepted")],
            },
        }))
    };
    stage.show(&crd("1"));
    assert_eq!(news.next_event().await, "Subscription a-system/a YES");
    stage.show(&crd("2"));
    let kind = "CustomResourceDefinition";
    asking.until("a", |a| version(a, kind) == "2").await;
    stage.show(&world);
    let event = news.next_event().await;
    assert!(
        event.starts_with("Subscription a-system/a NO CrdMissing"),
        "{event}"
    );
    stage.show(&failing(&crd("2"), "b"));
    assert_eq!(news.next_event().await, "Subscription a-system/a YES");
    let b_fails = "Subscription b-system/b NO DeploymentUnavailable";
    assert_eq!(news.next_event().await, b_fails);
}

#[tokio::test]
async fn catalog_change_affects_the_operators_that_refer_to_it() {
    let world = well(&["a"]);
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    stage.show(&edited(&world, "CatalogSource", "shop", |shop| {
        shop["metadata"]["resourceVersion"] = json!("9");
    }));
    asking
        .until("a", |a| version(a, "CatalogSource") == "9")
        .await;
}

#[tokio::test]
async fn burst_of_changes_publishes_one_snapshot() {
    let world = well(&["a", "b"]);
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.listen("").await;
    let revision = async |news: &mut News| {
        let event = tokio::time::timeout(PATIENCE, news.0.message()).await;
        event
            .expect("news")
            .expect("no failure")
            .expect("an event")
            .revision
    };
    let mut before = 0;
    for _ in 0..4 {
        before = revision(&mut news).await;
    }
    // The test has one thread and does not wait here, so no other task runs in the meantime.
    for number in 0..200 {
        let package = ["a", "b"][number % 2];
        stage.show(&failing(&world, package));
    }
    assert_eq!(revision(&mut news).await, before + 1);
}
