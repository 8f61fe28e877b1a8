//! Tests policies with the action inform.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::fleet::Fleet;
use super::stage::stage;
use crate::approval::policy::{design, policy};

/// The controller writes only the status of the policy and its events, and sends no dry run.
///
/// Behaviors 9, 10 and 12, and defect D3, in `tests/behaviors.md`.
#[tokio::test]
async fn inform_writes_only_status_and_events() -> Result<(), Failure> {
    let offered = catalog("punt: 1.0.0 -> 1.1.0; wherry: 1.0.0").installable();
    let Some(stage) = stage("inform", &offered).await? else {
        return Ok(());
    };
    let informs = stage.at_home(design("punt", &["punt.v1.0.0"])).informs();
    stage.write(&informs).await?;
    stage
        .until_status(
            "punt",
            &[
                "compliant: NonCompliant",
                "SubscriptionCompliant False SubscriptionMissing",
                "OperatorGroupCompliant False OperatorGroupMissing",
            ],
        )
        .await?;
    let forbids = policy("wherry")
        .informs()
        .with("complianceType", "mustnothave".into());
    stage.write(&forbids).await?;
    stage
        .until_status("wherry", &["compliant: Compliant"])
        .await?;

    // Another user installs the operator. Its upgrade waits for approval.
    let punt = stage.world.operator("punt");
    punt.subscribe(&stage.catalog, "stable", Some("punt.v1.0.0"))
        .await?;
    punt.install("punt.v1.0.0").await?;
    stage
        .until_status(
            "punt",
            &[
                "OperatorGroupCompliant False OperatorGroupMismatch",
                "ClusterServiceVersionCompliant True InstallSucceeded",
                "installed: punt.v1.0.0",
                "next: punt.v1.1.0",
            ],
        )
        .await?;
    let audit = stage
        .world
        .cluster()
        .audit()?
        .by(&Fleet::user(&stage.world))
        .writes();
    let others = audit.only(|record| {
        !matches!(
            record.resource.as_str(),
            "operatorpolicies/status" | "events"
        )
    });
    assert_eq!(others.records(), [], "inform writes nothing");
    let policies = stage.editor.objects(Kind::OperatorPolicy);
    let finalizers = policies.get("punt").await?.metadata.finalizers;
    assert_eq!(finalizers, None, "nothing is removed for it either");
    Ok(())
}

/// Tests one after the other the causes for which an inform policy is NonCompliant.
#[tokio::test]
async fn inform_policy_reports_every_failure_of_its_operator() -> Result<(), Failure> {
    let offered = catalog("smack: 1.0.0 -> 1.1.0").installable();
    let Some(mut stage) = stage("monitor", &offered).await? else {
        return Ok(());
    };
    let effects = json!({
        "catalogSourceUnhealthy": "NonCompliant",
        "deploymentsUnavailable": "NonCompliant",
        "upgradesAvailable": "Condition",
        "upgradesProgressing": "NonCompliant",
    });
    let watches = stage.about(design("smack", &["*"])).informs();
    let watches = watches.with("statusConfig", effects);
    let smack = stage.world.operator("smack");
    smack
        .subscribe(&stage.catalog, "stable", Some("smack.v1.0.0"))
        .await?;
    smack.install("smack.v1.0.0").await?;
    stage.write(&watches).await?;
    let well = [
        "compliant: Compliant",
        "DeploymentsAvailable True DeploymentsAvailable",
        "InstallPlanCompliant True InstallPlanRequiresApproval",
        "next: smack.v1.1.0",
    ];
    let status = stage.until_status("smack", &well).await?;
    let related = status["relatedObjects"].as_array().into_iter().flatten();
    let mut accounts = related.filter(|each| each["object"]["kind"] == "ServiceAccount");
    let account = accounts.next().expect("the ServiceAccount must be listed");
    assert_eq!(account["object"]["metadata"]["name"], "smack", "{account}");
    assert_eq!(account["compliant"], "Compliant", "{account}");

    let pods = stage.world.pods();
    pods.unready("operator=smack").await?;
    let unavailable = [
        "compliant: NonCompliant",
        "DeploymentsAvailable False DeploymentsUnavailable",
    ];
    stage.until_status("smack", &unavailable).await?;
    pods.ready("operator=smack").await?;
    stage.until_status("smack", &well).await?;

    // Another user approves the upgrade. The policy reports its progress.
    smack.install("smack.v1.1.0").await?;
    let upgraded = [
        "compliant: Compliant",
        "InstallPlanCompliant True NoInstallPlansRequiringApproval",
        "installed: smack.v1.1.0",
    ];
    let status = stage.until_status("smack", &upgraded).await?;
    let history = status["history"].as_array().into_iter().flatten();
    let reported = history.filter_map(|event| event["message"].as_str());
    let mut underway = reported.filter(|message| message.contains("is installing smack.v1.1.0"));
    let first = underway.next().unwrap_or_default();
    assert!(first.starts_with("NonCompliant; "), "{status:#}");

    stage.catalog.stop()?;
    let without = [
        "compliant: NonCompliant",
        "CatalogSourcesUnhealthy True CatalogSourcesFoundUnhealthy",
    ];
    stage.until_status("smack", &without).await?;
    Ok(())
}
