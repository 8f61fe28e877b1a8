//! Tests allowed versions that OLM skips.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::stage::{message, stage};
use crate::approval::policy::design;

/// The channel contains the allowed version, but OLM skips it. The policy reports the version that
/// OLM would install, and the remedies. The test tries one remedy.
#[tokio::test]
async fn reports_allowed_version_that_olm_skips_with_remedies() -> Result<(), Failure> {
    let text = "
        catamaran/stable: 1.0.0 -> 1.1.0 -> 1.2.0
        1.2.0 skips 1.0.0
        catamaran/slow: 1.0.0 -> 1.1.0
    ";
    let Some(stage) = stage("leap", &catalog(text).installable()).await? else {
        return Ok(());
    };
    let allowed = design("catamaran", &["catamaran.v1.0.0", "catamaran.v1.1.0"]);
    let policy = allowed.asks("startingCSV", "catamaran.v1.0.0".into());
    stage.write(&stage.at_home(policy)).await?;
    let leapt = [
        "InstallPlanCompliant True AllowedVersionSkippedByOLM",
        "compliant: Compliant",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "installed: catamaran.v1.0.0",
        "next: catamaran.v1.2.0",
    ];
    let status = stage.until_status("catamaran", &leapt).await?;
    let plan = status["upgrades"]["next"]["plan"].as_str();
    let plan = plan.expect("the plan that waits must be named");
    assert_eq!(
        message(&status, "InstallPlanCompliant"),
        format!(
            "an upgrade to catamaran.v1.2.0 is available on the stable channel. OLM upgrades from \
             catamaran.v1.0.0 directly to catamaran.v1.2.0, skipping catamaran.v1.1.0, which \
             spec.allowedCSVs allows. Add catamaran.v1.2.0 to spec.allowedCSVs. Or set \
             spec.subscription.channel to a channel other than stable that leads to \
             catamaran.v1.1.0 and delete InstallPlan {plan}, because OLM chooses no other version \
             while this InstallPlan waits. Or install the operator again with catamaran.v1.1.0 as \
             spec.subscription.startingCSV"
        )
    );
    let blocked = &status["upgrades"]["blocked"][0]["reason"];
    assert_eq!(blocked, "AllowedVersionSkippedByOLM", "{status:#}");

    let slow = json!({"subscription": {"channel": "slow"}});
    stage.rewrite("catamaran", slow).await?;
    // OLM does not resolve the namespace again until something changes.
    let reported = format!(
        "an upgrade to catamaran.v1.2.0 is available. The InstallPlan is not approved because \
         spec.allowedCSVs does not allow its bundle, which is not in channel slow. OLM chooses no \
         other bundle while the InstallPlan {plan} waits. Delete the InstallPlan {plan}"
    );
    stage
        .explains("catamaran", "InstallPlanCompliant", &reported)
        .await?;

    let both = json!({
        "allowedCSVs": ["catamaran.v1.0.0", "catamaran.v1.2.0"],
        "subscription": {"channel": "stable"},
    });
    stage.rewrite("catamaran", both).await?;
    let there = [
        "installed: catamaran.v1.2.0",
        "compliant: Compliant",
        "InstallPlanCompliant True NoInstallPlansRequiringApproval",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "next: ",
    ];
    stage.until_status("catamaran", &there).await?;
    Ok(())
}

/// Without `startingCSV`, the newest allowed version is installed, even if the channel contains a
/// newer version.
#[tokio::test]
async fn pin_starts_with_the_newest_allowed_version() -> Result<(), Failure> {
    let offered = catalog("trimaran: 1.0.0 -> 1.1.0 -> 1.2.0 -> 1.3.0").installable();
    let Some(stage) = stage("pin", &offered).await? else {
        return Ok(());
    };
    let allowed = design("trimaran", &["trimaran.v1.0.0", "trimaran.v1.1.0"]);
    stage.write(&stage.at_home(allowed)).await?;
    let pinned = [
        "installed: trimaran.v1.1.0",
        "compliant: Compliant",
        "InstallPlanCompliant True InstallPlanRequiresApproval",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "DeploymentsAvailable True DeploymentsAvailable",
        "next: trimaran.v1.2.0",
        "target: ",
    ];
    stage.until_status("trimaran", &pinned).await?;
    let subscription = stage.object(Kind::Subscription, "trimaran").await?;
    let subscription = subscription.expect("its Subscription must exist");
    assert_eq!(
        subscription.data["spec"],
        json!({
            "name": "trimaran",
            "channel": "stable",
            "source": "fleet",
            "sourceNamespace": stage.world.namespace(),
            "installPlanApproval": "Manual",
            "startingCSV": "trimaran.v1.1.0",
        })
    );
    let generation = subscription.metadata.generation;
    assert_eq!(generation, Some(1), "it is created as it stays");
    Ok(())
}
