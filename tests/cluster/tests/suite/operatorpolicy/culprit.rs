//! Tests a Subscription that blocks OLM in its namespace, and policies in the same namespace.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::stage::{message, stage};
use crate::approval::policy::design;

/// OLM reports on all Subscriptions that the namespace cannot be resolved. The policies name only
/// the Subscription at fault. An existing InstallPlan is carried out when it is allowed.
#[tokio::test]
async fn invalid_foreign_subscription_is_named_and_blocks_no_upgrade() -> Result<(), Failure> {
    let offered = catalog("sampan: 1.0.0 -> 1.1.0").installable();
    let Some(stage) = stage("culprit", &offered).await? else {
        return Ok(());
    };
    let policy = stage.at_home(design("sampan", &["sampan.v1.0.0"]));
    stage.write(&policy).await?;
    let waits = [
        "compliant: Compliant",
        "InstallPlanCompliant True InstallPlanRequiresApproval",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "DeploymentsAvailable True DeploymentsAvailable",
        "installed: sampan.v1.0.0",
        "next: sampan.v1.1.0",
    ];
    stage.until_status("sampan", &waits).await?;

    let here = stage.world.namespace();
    let bad = json!({"spec": {
        "name": "phantom",
        "channel": "stable",
        "source": "fleet",
        "sourceNamespace": here,
        "installPlanApproval": "Manual",
    }});
    stage
        .editor
        .create(Kind::Subscription, "phantom", bad)
        .await?;
    let failed = "ResolutionFailed True ConstraintsNotSatisfiable";
    let innocent = [
        &[failed, "SubscriptionCompliant True SubscriptionMatches"],
        &waits[..],
    ]
    .concat();
    let status = stage.until_status("sampan", &innocent).await?;
    let reported = message(&status, "SubscriptionCompliant");
    assert_eq!(
        reported,
        format!(
            "Subscription {here}/sampan matches the policy; OLM installs nothing newer in namespace \
             {here} until it can resolve Subscription phantom and package phantom"
        )
    );

    stage
        .rewrite(
            "sampan",
            json!({"allowedCSVs": ["sampan.v1.0.0", "sampan.v1.1.0"]}),
        )
        .await?;
    let upgraded = [
        "installed: sampan.v1.1.0",
        "compliant: Compliant",
        failed,
        "SubscriptionCompliant True SubscriptionMatches",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "next: ",
    ];
    stage.until_status("sampan", &upgraded).await?;
    Ok(())
}
