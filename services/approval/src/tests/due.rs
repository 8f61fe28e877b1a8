//! Tests that only the namespaces that a change affects are reviewed again.

use std::sync::Arc;

use portolan_kit::World;
use portolan_scaffold::SnapshotCell;
use rstest::rstest;
use serde_json::{Value, json};

use super::{Stage, edited, waiting, without};
use crate::Options;
use crate::cache::rounds;

/// Returns the namespaces that are reviewed again after `later` has replaced `first`.
async fn due(first: &World, later: &World) -> Vec<String> {
    let stage = Stage::of(first);
    let mut rounds = rounds(&stage, Options::default());
    rounds.round(&SnapshotCell::default()).await;
    stage.show(later);
    // A separate task publishes the views, so this task yields first.
    tokio::task::yield_now().await;
    let due = rounds.look().await.expect("all kinds are known");
    due.namespaces.iter().map(ToString::to_string).collect()
}

fn crowd() -> World {
    waiting(&["a", "b", "c"])
}

/// Returns a world with a policy in another namespace. The policy names a package in a namespace,
/// or in an unknown namespace.
fn distant(world: &World, package: &str, namespace: Option<&str>) -> World {
    world
        .clone()
        .namespace("policies")
        .policy(package, &["x.v1.0.0"])
        .edit(|policy| match namespace {
            Some(namespace) => policy["spec"]["subscription"]["namespace"] = json!(namespace),
            None => {
                let subscription = policy["spec"]["subscription"].as_object_mut();
                subscription.expect("a subscription").remove("namespace");
            }
        })
}

/// Returns a world in which an additional package is planned in the namespace of another package.
fn with_dependency(world: &World, namespace: &str, bundle: &str) -> World {
    edited(world, "InstallPlan", namespace, |plan| {
        let properties = json!({"properties": [{"type": "olm.package", "value": {
            "packageName": bundle.split('.').next(), "version": "1.0.0",
        }}]});
        plan["status"]["bundleLookups"] =
            json!([{"identifier": bundle, "properties": properties.to_string()}]);
    })
}

fn nothing(_: &mut Value) {}

fn newer(object: &mut Value) {
    object["metadata"]["resourceVersion"] = json!("7");
}

fn allowing_more(policy: &mut Value) {
    policy["spec"]["allowedCSVs"] = json!(["x.v1.0.0"]);
}

fn reported(policy: &mut Value) {
    newer(policy);
    policy["status"] = json!({"compliant": "Compliant"});
}

#[rstest]
#[case::nothing("InstallPlan", nothing, &[])]
#[case::a_plan("InstallPlan", newer, &["b-system"])]
#[case::a_subscription("Subscription", newer, &["b-system"])]
#[case::an_operator("ClusterServiceVersion", newer, &["b-system"])]
#[case::spec_of_a_policy("OperatorPolicy", allowing_more, &["b-system"])]
#[case::status_of_a_policy("OperatorPolicy", reported, &[])]
#[tokio::test]
async fn change_of_object_requires_review_of_related_plans(
    #[case] kind: &str,
    #[case] edit: fn(&mut Value),
    #[case] expected: &[&str],
) {
    let later = edited(&crowd(), kind, "b-system", edit);
    assert_eq!(due(&crowd(), &later).await, expected);
}

#[tokio::test]
async fn policy_affects_its_old_and_new_target_namespace() {
    let (to_a, to_c) = (
        distant(&crowd(), "a", Some("a-system")),
        distant(&crowd(), "a", Some("c-system")),
    );
    assert_eq!(due(&crowd(), &to_a).await, ["a-system"]);
    assert_eq!(due(&to_a, &to_c).await, ["a-system", "c-system"]);
    assert_eq!(due(&to_c, &crowd()).await, ["c-system"]);
}

#[tokio::test]
async fn policy_without_a_namespace_affects_plans_of_its_package() {
    let world = with_dependency(&crowd(), "c-system", "rope.v1.0.0");
    let unplaced = distant(&world, "rope", None);
    assert_eq!(due(&world, &unplaced).await, ["c-system"]);
    assert_eq!(due(&unplaced, &world).await, ["c-system"]);
    let settled = distant(&world, "rope", Some("b-system"));
    assert_eq!(due(&unplaced, &settled).await, ["b-system", "c-system"]);
    let elsewhere = distant(&world, "buoy", None);
    assert!(due(&world, &elsewhere).await.is_empty());
}

#[tokio::test]
async fn deleted_object_affects_its_former_namespace() {
    let world = crowd();
    let gone = without(&world, "InstallPlan", "a-system");
    assert_eq!(due(&world, &gone).await, ["a-system"]);
    let gone = without(&world, "OperatorPolicy", "b-system");
    assert_eq!(due(&world, &gone).await, ["b-system"]);
}

/// Returns the revision before and the revision after `later` has replaced `first`.
async fn revisions(first: &World, later: &World) -> (u32, u32) {
    let stage = Stage::of(first);
    let mut rounds = rounds(&stage, Options::default());
    let cell = SnapshotCell::default();
    let revision = || cell.snapshots().current().map(|it| it.revision);
    rounds.round(&cell).await;
    let before = revision().expect("a Snapshot");
    stage.show(later);
    tokio::task::yield_now().await;
    rounds.round(&cell).await;
    (before, revision().expect("a Snapshot"))
}

#[tokio::test]
async fn immaterial_change_publishes_no_snapshot() {
    let newer = edited(&crowd(), "Subscription", "b-system", newer);
    let (before, after) = revisions(&crowd(), &newer).await;
    assert_eq!(after, before);
}

#[tokio::test]
async fn policy_without_a_namespace_publishes_a_snapshot() {
    let unplaced = distant(&crowd(), "buoy", None);
    let (before, after) = revisions(&crowd(), &unplaced).await;
    assert_eq!(after, before + 1);
}

#[tokio::test]
async fn unaffected_reviews_keep_their_value() {
    let stage = Stage::of(&crowd());
    let mut rounds = rounds(&stage, Options::default());
    let cell = SnapshotCell::default();
    let posted = || cell.snapshots().current().expect("a Snapshot");
    rounds.round(&cell).await;
    let before = posted();
    stage.show(&edited(
        &crowd(),
        "OperatorPolicy",
        "b-system",
        allowing_more,
    ));
    tokio::task::yield_now().await;
    rounds.round(&cell).await;
    let after = posted();
    let same = after.snapshot.namespaces.iter().filter(|(name, reviewed)| {
        let was = before
            .snapshot
            .namespaces
            .get(*name)
            .expect("as many namespaces");
        Arc::ptr_eq(was, reviewed)
    });
    let same: Vec<_> = same.map(|(name, _)| &**name).collect();
    assert_eq!(same, ["a-system", "c-system"]);
    assert_eq!(after.revision, before.revision + 1);
}
