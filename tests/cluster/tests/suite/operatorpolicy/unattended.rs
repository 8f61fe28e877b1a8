//! Tests a policy that installs, upgrades and removes an operator while OLM does not run.

use kube::api::DynamicObject;
use portolan_kit::{assert_same, catalog};
use portolan_rig::{Component, Failure, Kind};
use serde_json::json;

use super::breakable::breakable;
use super::stage::Stage;
use crate::approval::policy::design;

const PACKAGE: &str = "junk";
const FIRST: &str = "junk.v1.0.0";
const SECOND: &str = "junk.v1.1.0";
const DEFINITION: &str = "junks.junk.example.test";
const OLM: [Component; 2] = [Component::OlmCatalog, Component::Olm];

/// The policy always reports what it waits for, and repeats no write. It continues when OLM runs
/// again.
#[tokio::test]
async fn pending_work_of_a_stopped_olm_is_reported() -> Result<(), Failure> {
    let offered = catalog("junk: 1.0.0 -> 1.1.0").installable();
    let Some(broken) = breakable("unattended", &offered).await? else {
        return Ok(());
    };
    let stage = &broken.stage;
    installs(stage).await?;
    upgrades(stage).await?;
    removes(stage).await?;
    let all = [
        "create operatorgroups",
        "patch operatorgroups",
        "create subscriptions",
        "patch subscriptions",
        "patch installplans",
        "patch installplans",
        "delete subscriptions",
        "delete clusterserviceversions",
        "delete operatorgroups",
    ];
    assert_same!(stage.olm_writes()?, all.map(str::to_owned).to_vec());
    Ok(())
}

async fn installs(stage: &Stage) -> Result<(), Failure> {
    stop(stage)?;
    stage
        .write(&stage.at_home(design(PACKAGE, &[FIRST])))
        .await?;
    let waits = "no InstallPlan in the namespace installs the operator; OLM has not chosen a \
                 bundle for the Subscription yet";
    stage
        .explains(PACKAGE, "InstallPlanCompliant", waits)
        .await?;
    let missing = [
        "compliant: NonCompliant",
        "SubscriptionCompliant True SubscriptionMatches",
        "ClusterServiceVersionCompliant False ClusterServiceVersionMissing",
    ];
    stage.until_status(PACKAGE, &missing).await?;
    start(stage).await?;
    let pinned = [
        "installed: junk.v1.0.0",
        "compliant: Compliant",
        "InstallPlanCompliant True InstallPlanRequiresApproval",
    ];
    stage.until_status(PACKAGE, &pinned).await.map(drop)
}

async fn upgrades(stage: &Stage) -> Result<(), Failure> {
    stop(stage)?;
    stage
        .rewrite(PACKAGE, json!({"allowedCSVs": [FIRST, SECOND]}))
        .await?;
    let approved = [
        "installed: junk.v1.0.0",
        "next: junk.v1.1.0",
        "InstallPlanCompliant False InstallPlanApproved",
    ];
    let status = stage.until_status(PACKAGE, &approved).await?;
    let plan = status["upgrades"]["next"]["plan"].as_str();
    let plan = plan.expect("the plan that is approved must be named");
    let waits = format!("InstallPlan {plan} for {SECOND} is approved");
    stage
        .explains(PACKAGE, "InstallPlanCompliant", &waits)
        .await?;
    start(stage).await?;
    let upgraded = [
        "installed: junk.v1.1.0",
        "compliant: Compliant",
        "InstallPlanCompliant True NoInstallPlansRequiringApproval",
        "ClusterServiceVersionCompliant True InstallSucceeded",
    ];
    stage.until_status(PACKAGE, &upgraded).await?;
    stage.is_gone(Kind::ClusterServiceVersion, FIRST).await
}

async fn removes(stage: &Stage) -> Result<(), Failure> {
    stop(stage)?;
    stage.editor.delete(Kind::OperatorPolicy, PACKAGE).await?;
    let here = stage.world.namespace();
    let waits = format!(
        "waiting for ClusterServiceVersion {here}/{SECOND} to be deleted (finalizer \
         operators.coreos.com/csv-cleanup, which OLM removes only while OLM runs)"
    );
    let status = stage
        .explains(PACKAGE, "ClusterServiceVersionCompliant", &waits)
        .await?;
    assert_eq!(status["compliant"], "Terminating", "{status:#}");
    assert_eq!(status["removal"]["phase"], "ClusterServiceVersions");
    stays(stage, Kind::OperatorGroup, "own").await?;

    start(stage).await?;
    stage.is_gone(Kind::OperatorPolicy, PACKAGE).await?;
    for (kind, name) in [
        (Kind::Subscription, PACKAGE),
        (Kind::ClusterServiceVersion, SECOND),
        (Kind::OperatorGroup, "own"),
    ] {
        let left = stage.object(kind, name).await?;
        assert!(left.is_none(), "{name} must be gone before its policy");
    }
    stays(stage, Kind::CustomResourceDefinition, DEFINITION).await?;
    let plans = stage.editor.objects(Kind::InstallPlan);
    let plans = plans.list(&Default::default()).await?;
    assert_eq!(plans.items.len(), 2, "plans are kept");
    Ok(())
}

async fn stays(stage: &Stage, kind: Kind, name: &str) -> Result<(), Failure> {
    let object = stage.object(kind, name).await?;
    let stays = |it: DynamicObject| it.metadata.deletion_timestamp.is_none();
    assert!(object.is_some_and(stays), "{name} must stay");
    Ok(())
}

/// Stops both programs of OLM.
fn stop(stage: &Stage) -> Result<(), Failure> {
    let cluster = stage.world.cluster();
    OLM.iter().try_for_each(|half| cluster.kill(*half))
}

async fn start(stage: &Stage) -> Result<(), Failure> {
    for half in OLM {
        stage.world.cluster().revive(half).await?;
    }
    Ok(())
}
