//! Tests the namespaces that an operator watches.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use super::stage::{Stage, message, own_stage, stage};
use crate::approval::policy::design;

/// The operator watches its own namespace. OLM upgrades it automatically when there is a new
/// version.
#[tokio::test]
async fn automatic_approval_upgrades_without_review() -> Result<(), Failure> {
    let first = catalog("canoe: 1.0.0").installable();
    let Some(mut stage) = stage("own", &first).await? else {
        return Ok(());
    };
    let policy = design("canoe", &["*"]).asks("installPlanApproval", "Automatic".into());
    stage.write(&stage.at_home(policy)).await?;
    let well = [
        "compliant: Compliant",
        "OperatorGroupCompliant True OperatorGroupMatches",
        "SubscriptionCompliant True SubscriptionMatches",
        "InstallPlanCompliant True NoInstallPlansRequiringApproval",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "CatalogSourcesUnhealthy False CatalogSourcesFound",
        "DeploymentsAvailable True DeploymentsAvailable",
        "next: ",
    ];
    let installed = [&["installed: canoe.v1.0.0"], &well[..]].concat();
    stage.until_status("canoe", &installed).await?;
    let group = group(&stage, "own").await?;
    let here = stage.world.namespace();
    assert_eq!(group["targetNamespaces"], json!([here]));
    let subscription = stage.object(Kind::Subscription, "canoe").await?;
    let subscription = subscription.expect("its Subscription must exist");
    assert_eq!(
        subscription.data["spec"]["installPlanApproval"],
        "Automatic"
    );

    let second = catalog("canoe: 1.0.0 -> 1.1.0").installable().temp();
    stage.catalog.serve(&second).await?;
    let upgraded = [&["installed: canoe.v1.1.0"], &well[..]].concat();
    stage.until_status("canoe", &upgraded).await?;
    assert_eq!(stage.wrote("installplans")?, [], "OLM approves by itself");
    Ok(())
}

/// A policy without namespaces installs the operator for all namespaces. The controller creates the
/// OperatorGroup, and deletes it again with the policy.
#[tokio::test]
async fn operator_group_for_all_namespaces_is_created_if_none_is_given() -> Result<(), Failure> {
    let offered = catalog("galley: 1.0.0 -> 1.1.0").installable();
    let offered = offered.with_install_modes(&["AllNamespaces"]);
    let Some(stage) = own_stage("all", &offered).await? else {
        return Ok(());
    };
    let policy = design("galley", &["galley.v1.0.0"])
        .asks("startingCSV", "galley.v1.0.0".into())
        .asks("installPlanApproval", "Manual".into());
    stage.write(&stage.about(policy)).await?;
    let well = [
        "installed: galley.v1.0.0",
        "compliant: Compliant",
        "OperatorGroupCompliant True OperatorGroupMatches",
        "SubscriptionCompliant True SubscriptionMatches",
        "InstallPlanCompliant True InstallPlanRequiresApproval",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "DeploymentsAvailable True DeploymentsAvailable",
    ];
    stage.until_status("galley", &well).await?;
    // The OperatorGroup has the name of its namespace, so that two policies cannot create two
    // OperatorGroups.
    let here = stage.world.namespace();
    let made = group(&stage, here).await?;
    assert_eq!(made["targetNamespaces"], Value::Null, "{made:#}");
    assert_eq!(made["selector"], Value::Null, "{made:#}");

    stage.editor.delete(Kind::OperatorPolicy, "galley").await?;
    stage.is_gone(Kind::OperatorPolicy, "galley").await?;
    let left = stage.object(Kind::OperatorGroup, here).await?;
    assert_eq!(left, None, "no policy uses it any more");
    Ok(())
}

/// The operator does not support all namespaces. So no OperatorGroup is created, and the message
/// contains the remedy.
#[tokio::test]
async fn creates_no_group_without_all_namespaces_mode() -> Result<(), Failure> {
    let offered = catalog("kayak: 1.0.0").installable();
    let offered = offered.with_install_modes(&["OwnNamespace", "SingleNamespace"]);
    let Some(stage) = stage("modes", &offered).await? else {
        return Ok(());
    };
    let policy = stage.about(design("kayak", &["*"]));
    stage.write(&policy).await?;
    let without = [
        "compliant: NonCompliant",
        "OperatorGroupCompliant False InstallModeUnsupported",
        "SubscriptionCompliant False SubscriptionMissing",
    ];
    let status = stage.until_status("kayak", &without).await?;
    let here = stage.world.namespace();
    assert_eq!(
        message(&status, "OperatorGroupCompliant"),
        format!(
            "namespace {here} has no OperatorGroup (OLM installs nothing in a namespace without an \
             OperatorGroup): kayak.v1.0.0 supports only OwnNamespace, SingleNamespace; set \
             spec.operatorGroup.target.namespaces to [{here}]"
        )
    );
    let written = [
        stage.wrote("operatorgroups")?,
        stage.wrote("subscriptions")?,
    ];
    assert_eq!(written.concat(), []);

    let named = json!({"operatorGroup": {"target": {"namespaces": [here]}}});
    stage.rewrite("kayak", named).await?;
    let well = [
        "compliant: Compliant",
        "OperatorGroupCompliant True OperatorGroupMatches",
        "ClusterServiceVersionCompliant True InstallSucceeded",
    ];
    stage.until_status("kayak", &well).await?;
    Ok(())
}

/// Returns the spec of a group.
async fn group(stage: &Stage, name: &str) -> Result<Value, Failure> {
    let group = stage.object(Kind::OperatorGroup, name).await?;
    let group = group.expect("its group must exist");
    Ok(group.data["spec"].clone())
}
