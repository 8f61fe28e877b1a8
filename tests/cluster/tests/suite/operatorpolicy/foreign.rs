//! Tests a Subscription that existed before its policy.

use kube::api::PostParams;
use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::stage::{Stage, stage};
use crate::approval::policy::design;

const BY: &str = "another-team";

/// The controller adopts the objects of another user, and reports this. When the policy is deleted,
/// these objects are kept.
#[tokio::test]
async fn adopts_foreign_subscription_and_reports_both_states() -> Result<(), Failure> {
    let offered = catalog("gondola: 1.0.0").installable();
    let Some(stage) = stage("foreign", &offered).await? else {
        return Ok(());
    };
    stage.editor.group("theirs").await?;
    subscribe(&stage).await?;
    stage
        .write(&stage.about(design("gondola", &["gondola.v1.0.0"])))
        .await?;
    history_reports_adoption(&stage).await?;
    let well = [
        "compliant: Compliant",
        "OperatorGroupCompliant True PreexistingOperatorGroupFound",
        "SubscriptionCompliant True SubscriptionMatches",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "installed: gondola.v1.0.0",
    ];
    stage.until_status("gondola", &well).await?;
    let subscription = stage.object(Kind::Subscription, "gondola").await?;
    let subscription = subscription.expect("it must exist");
    assert_eq!(
        subscription.data["spec"],
        json!({
            "name": "gondola",
            "channel": "stable",
            "source": "fleet",
            "sourceNamespace": stage.world.namespace(),
            "installPlanApproval": "Manual",
        })
    );

    stage.editor.delete(Kind::OperatorPolicy, "gondola").await?;
    stage.is_gone(Kind::OperatorPolicy, "gondola").await?;
    for (kind, name) in [
        (Kind::Subscription, "gondola"),
        (Kind::ClusterServiceVersion, "gondola.v1.0.0"),
        (Kind::OperatorGroup, "theirs"),
    ] {
        let left = stage.object(kind, name).await?;
        let stays = left.is_some_and(|left| left.metadata.deletion_timestamp.is_none());
        assert!(stays, "{name} was not made by the policy");
    }
    Ok(())
}

/// Creates a Subscription to a missing channel, so that OLM installs nothing.
async fn subscribe(stage: &Stage) -> Result<(), Failure> {
    let theirs = json!({"spec": {
        "name": "gondola",
        "channel": "beta",
        "source": "fleet",
        "sourceNamespace": stage.world.namespace(),
        "installPlanApproval": "Manual",
    }});
    let theirs = Kind::Subscription.object("gondola", theirs)?;
    let by = PostParams {
        field_manager: Some(BY.to_owned()),
        ..PostParams::default()
    };
    let subscriptions = stage.editor.objects(Kind::Subscription);
    subscriptions.create(&by, &theirs).await?;
    Ok(())
}

/// The history contains the adoption, and then the result.
async fn history_reports_adoption(stage: &Stage) -> Result<(), Failure> {
    let here = stage.world.namespace();
    let its = format!("Subscription {here}/gondola");
    let before = format!(
        "{its} does not match the policy: spec.channel is \"beta\" (written by {BY}), expected \
         \"stable\"; the Subscription was created by {BY}; the Subscription will be \
         taken over"
    );
    let after = format!(
        "{its} was changed: spec.channel is \"stable\" (before: \"beta\", written by {BY}); the \
         Subscription was taken over from {BY}"
    );
    stage.recalls("gondola", &[&before, &after]).await?;
    Ok(())
}
