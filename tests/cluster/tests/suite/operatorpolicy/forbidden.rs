//! Tests a mustnothave policy.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::stage::stage;
use crate::approval::policy::policy;

/// The controller removes the operator and its OperatorGroup step by step. The policy still exists,
/// and is Compliant at the end.
#[tokio::test]
async fn mustnothave_removes_operator_and_keeps_policy() -> Result<(), Failure> {
    let offered = catalog("corvette: 1.0.0").installable();
    let Some(stage) = stage("mustnothave", &offered).await? else {
        return Ok(());
    };
    let group = json!({"name": "own", "targetNamespaces": [stage.world.namespace()]});
    let policy = stage.about(policy("corvette").allows(&["corvette.v1.0.0"]));
    stage.write(&policy.with("operatorGroup", group)).await?;
    let there = [
        "compliant: Compliant",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "installed: corvette.v1.0.0",
    ];
    stage.until_status("corvette", &there).await?;

    stage
        .rewrite("corvette", json!({"complianceType": "mustnothave"}))
        .await?;
    let gone = [
        "compliant: Compliant",
        "SubscriptionCompliant True SubscriptionNotPresent",
        "ClusterServiceVersionCompliant True ClusterServiceVersionNotPresent",
        "OperatorGroupCompliant True OperatorGroupNotPresent",
        "CustomResourceDefinitionCompliant True CustomResourceDefinitionKept",
        // The InstallPlans of the operator are deleted shortly after the other objects.
        "InstallPlanCompliant True",
        "DeploymentCompliant True DeploymentNotApplicable",
    ];
    let status = stage.until_status("corvette", &gone).await?;
    println!("operatorpolicy: so it went: {:#}", status["history"]);
    for (kind, name) in [
        (Kind::Subscription, "corvette"),
        (Kind::ClusterServiceVersion, "corvette.v1.0.0"),
        (Kind::OperatorGroup, "own"),
    ] {
        let left = stage.object(kind, name).await?;
        assert_eq!(left, None, "{name} must be gone");
    }
    stage.is_gone(Kind::Deployment, "corvette").await?;
    let crd = "corvettes.corvette.example.test";
    let kept = stage.object(Kind::CustomResourceDefinition, crd);
    assert!(kept.await?.is_some(), "CRDs stay");
    let policies = stage.editor.objects(Kind::OperatorPolicy);
    let held = policies.get("corvette").await?.metadata.finalizers;
    assert_eq!(held, None, "nothing is removed with the policy itself");
    Ok(())
}
