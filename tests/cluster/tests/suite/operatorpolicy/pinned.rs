//! Tests an operator that is pinned to a version, and then upgraded to the next version that its
//! policy allows.

use kube::api::DynamicObject;
use portolan_kit::catalog;
use portolan_rig::{Failure, Kind, until_object};
use serde_json::{Value, json};

use super::stage::{message, stage};
use crate::approval::policy::design;

const FIRST: &str = "barge.v1.0.0";
const SECOND: &str = "barge.v1.1.0";

/// A policy installs one version. The InstallPlan for the next version waits, and the status
/// contains this version and its channel. When the policy allows the version, the upgrade
/// continues. The status is not Compliant until the upgrade is complete.
///
/// Behavior 81 in `tests/behaviors.md`.
#[tokio::test]
async fn policy_installs_pins_and_upgrades_to_allowed_version() -> Result<(), Failure> {
    let offered = catalog("barge: 1.0.0 -> 1.1.0").installable();
    let Some(stage) = stage("pinned", &offered).await? else {
        return Ok(());
    };
    let policy = stage.at_home(design("barge", &[FIRST]));
    stage.write(&policy).await?;
    let before = stage
        .until_status(
            "barge",
            &[
                "Compliant True UpgradeAvailable",
                "InstallPlanCompliant True InstallPlanRequiresApproval",
                "ClusterServiceVersionCompliant True InstallSucceeded",
                "DeploymentsAvailable True DeploymentsAvailable",
                "installed: barge.v1.0.0",
                "next: barge.v1.1.0",
            ],
        )
        .await?;
    let plan = message(&before, "InstallPlanCompliant");
    assert!(plan.contains(SECOND) && plan.contains("stable"), "{plan}");

    stage
        .rewrite("barge", json!({"allowedCSVs": [FIRST, SECOND]}))
        .await?;
    let status = stage
        .until_status(
            "barge",
            &[
                "compliant: Compliant",
                "ClusterServiceVersionCompliant True InstallSucceeded",
                "installed: barge.v1.1.0",
                "next: ",
            ],
        )
        .await?;
    println!("operatorpolicy: the history: {:#}", status["history"]);
    let since = compliance_since(&status, &before);
    let upgrade = since.iter().skip_while(|is_compliant| **is_compliant);
    let ends = upgrade.filter(|is_compliant| **is_compliant).count();
    assert!(ends <= 1, "the end is reported once: {since:?}");
    assert_eq!(since.last(), Some(&true));
    stage.is_gone(Kind::ClusterServiceVersion, FIRST).await?;
    Ok(())
}

/// Returns one value for each history entry after `before`: true if the entry reports Compliant.
fn compliance_since(status: &Value, before: &Value) -> Vec<bool> {
    let lines = |status: &Value| status["history"].as_array().cloned().unwrap_or_default();
    let old = lines(before);
    let new = lines(status).into_iter().filter(|line| !old.contains(line));
    let mut new: Vec<_> = new
        .map(|line| {
            line["message"]
                .as_str()
                .is_some_and(|it| it.starts_with("Compliant;"))
        })
        .collect();
    new.reverse();
    new
}

/// The same as the previous test, but an upgrade that waits makes the policy NonCompliant.
#[tokio::test]
async fn waiting_upgrade_makes_policy_noncompliant_if_configured() -> Result<(), Failure> {
    let offered = catalog("dhow: 1.0.0 -> 1.1.0").installable();
    let Some(stage) = stage("alert", &offered).await? else {
        return Ok(());
    };
    let effects = json!({"upgradesAvailable": "NonCompliant"});
    let policy = design("dhow", &["dhow.v1.0.0"]).with("statusConfig", effects);
    stage.write(&stage.at_home(policy)).await?;
    stage
        .until_status(
            "dhow",
            &[
                "compliant: NonCompliant",
                "Compliant False UpgradeAvailable",
                "InstallPlanCompliant False InstallPlanRequiresApproval",
                "ClusterServiceVersionCompliant True InstallSucceeded",
            ],
        )
        .await?;
    Ok(())
}

/// The complete InstallPlan of the first installation still exists, and installs nothing again.
#[tokio::test]
async fn version_is_reinstalled_after_its_removal() -> Result<(), Failure> {
    let offered = catalog("ketch: 1.0.0").installable();
    let Some(stage) = stage("again", &offered).await? else {
        return Ok(());
    };
    let policy = stage.at_home(design("ketch", &["ketch.v1.0.0"]));
    for _ in 0..2 {
        stage.write(&policy).await?;
        let installed = ["compliant: Compliant", "installed: ketch.v1.0.0"];
        stage.until_status("ketch", &installed).await?;
        stage.editor.delete(Kind::OperatorPolicy, "ketch").await?;
        stage.is_gone(Kind::OperatorPolicy, "ketch").await?;
        stage
            .is_gone(Kind::ClusterServiceVersion, "ketch.v1.0.0")
            .await?;
    }
    assert_eq!(stage.wrote("installplans")?.len(), 2, "each is approved");
    Ok(())
}

/// Other Subscriptions are in the same namespace, as in the namespace for global operators. While
/// one of them is Manual, OLM waits for an approval.
#[tokio::test]
async fn pinned_operator_is_compliant_beside_an_automatic_subscription() -> Result<(), Failure> {
    let offered = catalog("cutter: 1.0.0 -> 1.1.0; tender: 1.0.0").installable();
    let Some(stage) = stage("shared", &offered).await? else {
        return Ok(());
    };
    let here = stage.world.namespace();
    stage.editor.group("own").await?;
    let tender = json!({"spec": {
        "name": "tender",
        "channel": "stable",
        "source": "fleet",
        "sourceNamespace": here,
        "installPlanApproval": "Automatic",
    }});
    stage
        .editor
        .create(Kind::Subscription, "tender", tender)
        .await?;
    let csvs = stage.editor.objects(Kind::ClusterServiceVersion);
    let succeeded = |csv: &DynamicObject| csv.data["status"]["phase"] == "Succeeded";
    until_object(&csvs, "tender.v1.0.0", "installed", succeeded).await?;

    let policy = stage.about(design("cutter", &["cutter.v1.0.0"]));
    stage.write(&policy).await?;
    let status = stage
        .until_status(
            "cutter",
            &[
                "compliant: Compliant",
                "SubscriptionCompliant True SubscriptionMatches",
                "installed: cutter.v1.0.0",
                "next: cutter.v1.1.0",
            ],
        )
        .await?;
    let reported = message(&status, "SubscriptionCompliant");
    assert!(
        reported.contains("Subscription tender in the same namespace is Automatic"),
        "{reported}"
    );
    Ok(())
}
