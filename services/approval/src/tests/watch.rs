//! Tests that clients of a watch get each relevant change exactly once.

use std::time::Duration;

use portolan_proto::approval::v1 as pb;
use serde_json::json;
use tokio::time::Instant;

use super::{Asking, Stage, edited, forbidding, state, waiting, without};

const A: &str = "InstallPlan a-system/install-1";
const B: &str = "InstallPlan b-system/install-1";

fn both() -> portolan_kit::World {
    waiting(&["b", "a"])
}

#[tokio::test]
async fn watch_sends_all_plans_in_order_and_then_synced() {
    let stage = Stage::of(&both());
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.listen("").await;
    let reported = [
        news.next_event().await,
        news.next_event().await,
        news.next_event().await,
    ];
    assert_eq!(
        reported,
        [format!("{A} YES"), format!("{B} YES"), "synced".into()]
    );

    let mut news = asking.listen("b-system").await;
    assert_eq!(news.next_event().await, format!("{B} YES"));
    assert_eq!(news.next_event().await, "synced");
    stage.show(&forbidding(&forbidding(&both(), "a-system"), "b-system"));
    assert_eq!(news.next_event().await, format!("{B} NO NotAllowed"));
}

#[tokio::test]
async fn new_resource_version_of_a_plan_sends_no_event_and_is_stored() {
    let stage = Stage::of(&both());
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    let newer = edited(&both(), "InstallPlan", "a-system", |plan| {
        plan["metadata"]["resourceVersion"] = json!("7");
    });
    stage.show(&newer);
    let version = |review: &pb::Review| {
        let plan = review.plan.as_ref();
        plan.map(|plan| plan.resource_version.clone())
    };
    asking
        .until("a-system", |review| version(review).as_deref() == Some("7"))
        .await;
    stage.show(&forbidding(&newer, "b-system"));
    assert_eq!(news.next_event().await, format!("{B} NO NotAllowed"));
    stage.show(&newer);
    assert_eq!(news.next_event().await, format!("{B} YES"));
}

#[tokio::test]
async fn recreated_plan_is_a_different_plan() {
    let stage = Stage::of(&both());
    let mut news = Asking::at(&stage).await.synced().await;
    stage.show(&edited(&both(), "InstallPlan", "a-system", |plan| {
        plan["metadata"]["uid"] = json!("another");
    }));
    assert_eq!(news.next_event().await, format!("{A} YES"));
}

#[tokio::test]
async fn watch_reports_deleted_and_recreated_plans() {
    let stage = Stage::of(&both());
    let mut news = Asking::at(&stage).await.synced().await;
    stage.show(&without(&both(), "InstallPlan", "a-system"));
    assert_eq!(news.next_event().await, format!("{A} gone"));
    stage.show(&both());
    assert_eq!(news.next_event().await, format!("{A} YES"));
    stage.show(&without(&both(), "OperatorPolicy", "a-system"));
    assert_eq!(news.next_event().await, format!("{A} NO NoPolicy"));
}

#[tokio::test]
async fn slow_watcher_receives_only_the_last_state() {
    let stage = Stage::of(&both());
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    for _ in 0..5 {
        stage.show(&forbidding(&both(), "a-system"));
        let is_no = |review: &pb::Review| state(review.verdict.as_ref()) != "YES";
        asking.until("a-system", is_no).await;
        stage.show(&both());
        asking.until("a-system", |review| !is_no(review)).await;
    }
    stage.show(&forbidding(&both(), "b-system"));
    assert_eq!(news.next_event().await, format!("{B} NO NotAllowed"));
}

#[tokio::test(start_paused = true)]
async fn idle_watch_sends_heartbeats() {
    let stage = Stage::of(&both());
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    for number in 0..3 {
        let before = Instant::now();
        // A change of only the resource version causes no event, so the heartbeat is not delayed.
        let newer = edited(&both(), "InstallPlan", "a-system", |plan| {
            plan["metadata"]["resourceVersion"] = json!(number.to_string());
        });
        tokio::time::advance(Duration::from_secs(10)).await;
        stage.show(&newer);
        assert_eq!(news.next_event().await, "heartbeat");
        assert_eq!(before.elapsed(), Duration::from_secs(30));
    }
}

#[tokio::test]
async fn burst_of_changes_publishes_one_snapshot_of_same_epoch() {
    let stage = Stage::of(&both());
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.listen("").await;
    let mut before = news.message().await;
    for _ in 0..2 {
        before = news.message().await;
    }
    // The test has one thread and does not wait here, so no other task runs in the meantime.
    for number in 0..200 {
        let namespace = ["a-system", "b-system"][number % 2];
        stage.show(&forbidding(&both(), namespace));
    }
    let after = news.message().await;
    assert_eq!(
        (after.revision, &after.epoch),
        (before.revision + 1, &before.epoch)
    );
    assert!(!after.epoch.is_empty());
}
