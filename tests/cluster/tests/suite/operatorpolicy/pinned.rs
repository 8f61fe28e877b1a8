//! An operator that is installed in one version, and upgraded to what is allowed.

use kube::api::DynamicObject;
use portolan_kit::catalog;
use portolan_rig::{Failure, Kind, until_object};
use serde_json::{Value, json};

use super::stage::{message, stage};
use crate::approval::policy::design;

const FIRST: &str = "barge.v1.0.0";
const SECOND: &str = "barge.v1.1.0";

/// A policy alone installs one version; OLM's wish for the next one waits and is named with version
/// and channel; once it is allowed, the policy follows, and no Compliant is told before it is there.
///
/// Behavior 81.
#[tokio::test]
async fn a_policy_installs_pins_and_follows_what_is_allowed() -> Result<(), Failure> {
    let offered = catalog("barge: 1.0.0 -> 1.1.0").installable();
    let Some(stage) = stage("pinned", &offered).await? else {
        return Ok(());
    };
    let policy = stage.at_home(design("barge", &[FIRST]));
    stage.write(&policy).await?;
    let before = stage
        .says(
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
        .says(
            "barge",
            &[
                "compliant: Compliant",
                "ClusterServiceVersionCompliant True InstallSucceeded",
                "installed: barge.v1.1.0",
                "next: ",
            ],
        )
        .await?;
    println!("operatorpolicy: so it was told: {:#}", status["history"]);
    let since = told_since(&status, &before);
    let upgrade = since.iter().skip_while(|is_compliant| **is_compliant);
    let ends = upgrade.filter(|is_compliant| **is_compliant).count();
    assert!(ends <= 1, "it is told to be over once: {since:?}");
    assert_eq!(since.last(), Some(&true));
    stage.is_gone(Kind::ClusterServiceVersion, FIRST).await?;
    Ok(())
}

/// Whether the policy was told to be Compliant, line by line of its history since a status.
fn told_since(status: &Value, before: &Value) -> Vec<bool> {
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

/// The same, where an upgrade that waits is what makes a policy NonCompliant.
#[tokio::test]
async fn an_upgrade_that_waits_can_make_a_policy_noncompliant() -> Result<(), Failure> {
    let offered = catalog("dhow: 1.0.0 -> 1.1.0").installable();
    let Some(stage) = stage("alert", &offered).await? else {
        return Ok(());
    };
    let effects = json!({"upgradesAvailable": "NonCompliant"});
    let policy = design("dhow", &["dhow.v1.0.0"]).with("statusConfig", effects);
    stage.write(&stage.at_home(policy)).await?;
    stage
        .says(
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

/// The InstallPlan of the first time is kept, is Complete, and brings nothing any more.
#[tokio::test]
async fn a_version_that_was_installed_before_is_installed_again() -> Result<(), Failure> {
    let offered = catalog("ketch: 1.0.0").installable();
    let Some(stage) = stage("again", &offered).await? else {
        return Ok(());
    };
    let policy = stage.at_home(design("ketch", &["ketch.v1.0.0"]));
    for _ in 0..2 {
        stage.write(&policy).await?;
        let installed = ["compliant: Compliant", "installed: ketch.v1.0.0"];
        stage.says("ketch", &installed).await?;
        stage.editor.delete(Kind::OperatorPolicy, "ketch").await?;
        stage.is_gone(Kind::OperatorPolicy, "ketch").await?;
        stage
            .is_gone(Kind::ClusterServiceVersion, "ketch.v1.0.0")
            .await?;
    }
    assert_eq!(stage.wrote("installplans")?.len(), 2, "each is approved");
    Ok(())
}

/// Where others subscribe as well, as in a namespace for operators that serve all: OLM waits for
/// approval as long as one Subscription is Manual.
#[tokio::test]
async fn a_pinned_operator_is_compliant_beside_an_automatic_one() -> Result<(), Failure> {
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
        .says(
            "cutter",
            &[
                "compliant: Compliant",
                "SubscriptionCompliant True SubscriptionMatches",
                "installed: cutter.v1.0.0",
                "next: cutter.v1.1.0",
            ],
        )
        .await?;
    let told = message(&status, "SubscriptionCompliant");
    assert!(
        told.contains("Subscription tender in the same namespace is Automatic"),
        "{told}"
    );
    Ok(())
}
