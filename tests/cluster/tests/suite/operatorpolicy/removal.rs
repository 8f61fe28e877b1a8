//! Tests which objects are removed with a policy, and which objects are kept.

use kube::api::DynamicObject;
use kube::{Api, Client};
use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use super::stage::{Stage, message, stage};
use crate::approval::policy::{Policy, design};
use crate::editor::Editor;
use crate::objects::api;

const CSV: &str = "lugger.v1.0.0";
const DEFINITION: &str = "luggers.lugger.example.test";

/// Installs an operator with a policy, on a separate cluster. Returns `None` if these tests are
/// skipped.
async fn installed(
    test_name: &str,
    package: &str,
    change: Value,
) -> Result<Option<Stage>, Failure> {
    let offered = catalog(&format!("{package}: 1.0.0")).installable();
    let Some(stage) = stage(test_name, &offered).await? else {
        return Ok(None);
    };
    let policy = design(package, &["*"]).with("removalBehavior", change);
    let policy: Policy = stage.at_home(policy);
    stage.write(&policy).await?;
    stage
        .until_status(package, &["compliant: Compliant"])
        .await?;
    Ok(Some(stage))
}

/// By default, the operator is removed and its CRDs are kept.
#[tokio::test]
async fn deleting_policy_removes_operator_and_keeps_crds() -> Result<(), Failure> {
    let Some(stage) = installed("removed", "lugger", json!({})).await? else {
        return Ok(());
    };
    stage.editor.delete(Kind::OperatorPolicy, "lugger").await?;
    stage.is_gone(Kind::OperatorPolicy, "lugger").await?;
    let gone = [
        (Kind::Subscription, "lugger"),
        (Kind::ClusterServiceVersion, CSV),
        (Kind::OperatorGroup, "own"),
    ];
    for (kind, name) in gone {
        let left = stage.object(kind, name).await?;
        assert!(left.is_none(), "{name} must be gone before its policy");
    }
    stage.is_gone(Kind::Deployment, "lugger").await?;
    let kept = stage
        .object(Kind::CustomResourceDefinition, DEFINITION)
        .await?;
    assert!(kept.is_some(), "CRDs stay unless a policy says otherwise");
    let plans = stage
        .editor
        .objects(Kind::InstallPlan)
        .list(&Default::default())
        .await?;
    assert_eq!(plans.items.len(), 1, "plans are kept");
    Ok(())
}

/// The policy removes all objects. The CRDs are deleted while the operator still runs. The status
/// contains the objects that block the removal.
#[tokio::test]
async fn crds_are_deleted_after_their_objects() -> Result<(), Failure> {
    let behavior = json!({
        "customResourceDefinitions": "Delete",
        "installPlans": "Delete",
        "operatorGroups": "Delete",
    });
    let Some(stage) = installed("swept", "pinnace", behavior).await? else {
        return Ok(());
    };
    let pinnaces = operands(stage.world.client(), stage.world.namespace());
    let held = json!({
        "apiVersion": "pinnace.example.test/v1",
        "kind": "Pinnace",
        "metadata": {"name": "one", "finalizers": ["pinnace.example.test/moored"]},
    });
    let held: DynamicObject = serde_json::from_value(held).map_err(Failure::read("a pinnace"))?;
    pinnaces.create(&Default::default(), &held).await?;
    stage.editor.delete(Kind::OperatorPolicy, "pinnace").await?;
    let status = stage
        .until_status(
            "pinnace",
            &[
                "compliant: Terminating",
                "SubscriptionCompliant True SubscriptionNotPresent",
                "CustomResourceDefinitionCompliant False CustomResourceDefinitionDeleting",
            ],
        )
        .await?;
    let remaining = &status["removal"]["remaining"][0];
    assert_eq!(remaining["name"], "one", "{status:#}");
    assert_eq!(remaining["finalizers"][0], "pinnace.example.test/moored");
    let runs = stage
        .object(Kind::ClusterServiceVersion, "pinnace.v1.0.0")
        .await?;
    assert!(runs.is_some(), "the operator may still have to clean up");

    let free = json!({"metadata": {"finalizers": null}});
    let change = kube::api::Patch::Merge(free);
    pinnaces.patch("one", &Default::default(), &change).await?;
    stage.is_gone(Kind::OperatorPolicy, "pinnace").await?;
    let gone = [
        (
            Kind::CustomResourceDefinition,
            "pinnaces.pinnace.example.test",
        ),
        (Kind::ClusterServiceVersion, "pinnace.v1.0.0"),
        (Kind::OperatorGroup, "own"),
    ];
    for (kind, name) in gone {
        assert!(
            stage.object(kind, name).await?.is_none(),
            "{name} must be gone"
        );
    }
    let plans = stage
        .editor
        .objects(Kind::InstallPlan)
        .list(&Default::default())
        .await?;
    assert_eq!(plans.items.len(), 0, "plans go as well");
    Ok(())
}

/// Objects with the behavior Keep are not removed.
#[tokio::test]
async fn kept_objects_exist_after_their_policy_is_deleted() -> Result<(), Failure> {
    let behavior = json!({
        "subscriptions": "Keep",
        "clusterServiceVersions": "Keep",
        "operatorGroups": "Keep",
    });
    let Some(stage) = installed("kept", "felucca", behavior).await? else {
        return Ok(());
    };
    stage.editor.delete(Kind::OperatorPolicy, "felucca").await?;
    stage.is_gone(Kind::OperatorPolicy, "felucca").await?;
    let kept = [
        (Kind::Subscription, "felucca"),
        (Kind::ClusterServiceVersion, "felucca.v1.0.0"),
        (Kind::OperatorGroup, "own"),
        (Kind::Deployment, "felucca"),
    ];
    for (kind, name) in kept {
        let left = stage.object(kind, name).await?;
        let left = left.is_some_and(|left| left.metadata.deletion_timestamp.is_none());
        assert!(left, "{name} must stay");
    }
    Ok(())
}

fn operands(client: &Client, namespace: &str) -> Api<DynamicObject> {
    api(client, ["pinnace.example.test/v1", "Pinnace", namespace])
}

/// The same operator is also installed in another namespace, only for that namespace. It keeps its
/// CRD, and its users keep all custom resources.
#[tokio::test]
async fn crd_is_kept_while_a_csv_in_another_namespace_owns_it() -> Result<(), Failure> {
    let behavior = json!({"customResourceDefinitions": "Delete"});
    let Some(stage) = installed("neighbors", "yawl", behavior).await? else {
        return Ok(());
    };
    let other = stage.world.cluster().namespace("next-door").await?;
    let there = Editor::of(stage.world.client(), &other);
    there.group("own").await?;
    let csv = stage
        .object(Kind::ClusterServiceVersion, "yawl.v1.0.0")
        .await?;
    let csv = csv.expect("it must be installed");
    let copy = json!({"spec": csv.data["spec"]});
    there
        .create(Kind::ClusterServiceVersion, "yawl.v1.0.0", copy)
        .await?;

    stage.editor.delete(Kind::OperatorPolicy, "yawl").await?;
    stage.is_gone(Kind::OperatorPolicy, "yawl").await?;
    stage
        .is_gone(Kind::ClusterServiceVersion, "yawl.v1.0.0")
        .await?;
    let kept = stage
        .object(Kind::CustomResourceDefinition, "yawls.yawl.example.test")
        .await?;
    let kept = kept.expect("the CRD must stay");
    assert_eq!(kept.metadata.deletion_timestamp, None);
    Ok(())
}

/// A policy with the action inform does not keep the operator of a deleted policy.
#[tokio::test]
async fn inform_policy_does_not_keep_operator_of_deleted_policy() -> Result<(), Failure> {
    let Some(stage) = installed("watched", "gig", json!({})).await? else {
        return Ok(());
    };
    let watches = design("gig", &["*"]).informs().called("watches");
    stage.write(&stage.at_home(watches)).await?;
    stage
        .until_status("watches", &["compliant: Compliant"])
        .await?;
    stage.editor.delete(Kind::OperatorPolicy, "gig").await?;
    stage.is_gone(Kind::OperatorPolicy, "gig").await?;
    let left = stage.object(Kind::Subscription, "gig").await?;
    assert!(left.is_none(), "it must be gone before its policy");
    stage
        .is_gone(Kind::ClusterServiceVersion, "gig.v1.0.0")
        .await
}

/// The controller still finds the objects of a policy after the namespace of the policy has
/// changed.
#[tokio::test]
async fn policy_moved_to_another_namespace_keeps_track_of_its_operator() -> Result<(), Failure> {
    let Some(stage) = installed("moved", "wherry", json!({})).await? else {
        return Ok(());
    };
    let here = stage.world.namespace();
    let place = |namespace: &str| json!({"subscription": {"namespace": namespace}});
    stage.rewrite("wherry", place("elsewhere")).await?;
    let status = stage
        .until_status("wherry", &["ValidPolicySpec False InvalidPolicySpec"])
        .await?;
    let reported = message(&status, "ValidPolicySpec");
    let its = format!("Subscription {here}/wherry");
    assert!(reported.contains(&its), "{reported}");

    stage.editor.delete(Kind::OperatorPolicy, "wherry").await?;
    stage
        .until_status("wherry", &["SubscriptionCompliant False Withheld"])
        .await?;
    stage.rewrite("wherry", place(here)).await?;
    stage.is_gone(Kind::OperatorPolicy, "wherry").await?;
    stage
        .is_gone(Kind::ClusterServiceVersion, "wherry.v1.0.0")
        .await
}
