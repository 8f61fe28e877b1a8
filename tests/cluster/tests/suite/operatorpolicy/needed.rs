//! Tests operators that have dependencies.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::stage::stage;
use crate::approval::policy::{design, policy};

/// In the design form, each dependency needs a policy.
#[tokio::test]
async fn design_form_requires_a_policy_for_each_dependency() -> Result<(), Failure> {
    let text = "schooner: 1.0.0 requires rigging >=1.0.0; rigging: 1.0.0";
    let Some(stage) = stage("strict", &catalog(text).installable()).await? else {
        return Ok(());
    };
    stage
        .write(&stage.at_home(design("schooner", &["schooner.v1.0.0"])))
        .await?;
    let waits = [
        "compliant: NonCompliant",
        "InstallPlanCompliant True InstallPlanRequiresApproval",
        "next: schooner.v1.0.0",
    ];
    stage.until_status("schooner", &waits).await?;
    let here = stage.world.namespace();
    let reported = format!(
        "schooner.v1.0.0 of the stable channel waits to be installed, together with \
         rigging.v1.0.0. The InstallPlan is not approved: rigging.v1.0.0 is needed by \
         schooner.v1.0.0, but policy {here}/schooner does not allow dependencies. Create an \
         OperatorPolicy with spec.subscription.name rigging and spec.subscription.namespace {here} \
         that allows rigging.v1.0.0"
    );
    stage
        .explains("schooner", "InstallPlanCompliant", &reported)
        .await?;
    assert_eq!(stage.wrote("installplans")?, []);

    stage
        .write(&stage.at_home(design("rigging", &["rigging.v1.0.0"])))
        .await?;
    let well = [
        "compliant: Compliant",
        "InstallPlanCompliant True NoInstallPlansRequiringApproval",
        "ClusterServiceVersionCompliant True InstallSucceeded",
    ];
    for package in ["schooner", "rigging"] {
        let installed = format!("installed: {package}.v1.0.0");
        let well = [&well[..], &[&installed]].concat();
        stage.until_status(package, &well).await?;
    }
    Ok(())
}

/// In the established form, a policy that allows an operator also allows its dependencies. This
/// also applies if only a dependency is upgraded.
#[tokio::test]
async fn established_form_allows_dependencies() -> Result<(), Failure> {
    let text = "brigantine: 1.0.0 requires ballast >=1.0.0; ballast: 1.0.0";
    let Some(mut stage) = stage("lenient", &catalog(text).installable()).await? else {
        return Ok(());
    };
    let group = json!({"name": "own", "targetNamespaces": [stage.world.namespace()]});
    let policy = policy("brigantine").allows(&["brigantine.v1.0.0"]);
    stage
        .write(&stage.about(policy).with("operatorGroup", group))
        .await?;
    let well = [
        "compliant: Compliant",
        "InstallPlanCompliant True NoInstallPlansRequiringApproval",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "installed: brigantine.v1.0.0",
    ];
    stage.until_status("brigantine", &well).await?;
    let brigantine = stage.world.operator("brigantine");
    brigantine
        .until_phase("ballast.v1.0.0", "Succeeded")
        .await?;
    assert_eq!(stage.wrote("installplans")?.len(), 1, "it is approved once");
    let policies = stage.editor.objects(Kind::OperatorPolicy);
    let held = policies.get("brigantine").await?.metadata.finalizers;
    assert_eq!(held, None, "nothing is removed with it");

    let text = "brigantine: 1.0.0 requires ballast >=1.0.0; ballast: 1.0.0 -> 1.1.0";
    let newer = catalog(text).installable().temp();
    stage.catalog.serve(&newer).await?;
    brigantine
        .until_phase("ballast.v1.1.0", "Succeeded")
        .await?;
    let reported = "for ballast.v1.1.0 is approved because brigantine.v1.0.0 needs it";
    stage.recalls("brigantine", &[reported]).await?;
    stage.until_status("brigantine", &well).await?;
    assert_eq!(stage.wrote("installplans")?.len(), 2, "so is the update");
    Ok(())
}
