//! Tests an operator from its Subscription to its removal, with all possible failures.

use portolan_core_health::HealthCode;
use portolan_kit::catalog;
use portolan_proto::health::v1::verdict::State;
use portolan_rig::{Failure, Kind, until_field};
use serde_json::json;

use super::news::{Wanted, operator, orphan, verdict};
use super::stage::{Stage, stage};
use super::witness::Witness;

const PODS: &str = "operator=sloop";
const FIRST: &str = "sloop.v1.0.0";
const SECOND: &str = "sloop.v1.1.0";

#[tokio::test]
async fn every_failure_and_recovery_of_an_operator_is_reported() -> Result<(), Failure> {
    let Some(mut stage) = stage("troubles").await? else {
        return Ok(());
    };
    let offered = catalog("sloop: 1.0.0 -> 1.1.0").installable();
    let folder = offered.temp();
    let served = stage.world.catalog("fleet", &folder).await?;
    let witness = Witness::of(&stage.world);

    comes(&mut stage, &served).await?;
    pods_break(&mut stage).await?;
    deployments_break(&mut stage).await?;
    let crd = offered.package("sloop").bundle("1.0.0").objects[1].clone();
    reports_deleted_crd(&mut stage, crd).await?;
    hops(&mut stage).await?;
    let well = stage.watcher.well(&operator("sloop"));
    witness.confirms(&well).await;
    goes(&mut stage).await?;

    stage.watcher.agrees(&stage.serving).await;
    Ok(())
}

/// The state is Installing, and then Yes. One InstallPlan is complete, and the next one waits for
/// approval.
async fn comes(stage: &mut Stage, served: &portolan_rig::Catalog) -> Result<(), Failure> {
    let sloop = stage.world.operator("sloop");
    let (of, watcher) = (operator("sloop"), &mut stage.watcher);
    let waits = Wanted::Among(State::NotYet, HealthCode::PlanRequiresApproval);
    let asked = sloop.subscribe(served, "stable", Some(FIRST));
    watcher.reports(&of, waits, asked).await?;
    let plan = sloop.plan(FIRST).await?;
    let approved = sloop.approve(&plan);
    watcher
        .reports(&of, Wanted::Running(FIRST), approved)
        .await?;
    println!("health: so it came: {:#?}", watcher.since_mark());
    // From here on, OLM reports UpgradePending. This is not a problem.
    sloop.plan(SECOND).await.map(drop)
}

async fn pods_break(stage: &mut Stage) -> Result<(), Failure> {
    let (of, watcher) = (operator("sloop"), &mut stage.watcher);
    let pods = stage.world.pods();
    let unpullable = Wanted::no(HealthCode::ImagePullFailing);
    watcher
        .reports(&of, unpullable, pods.unpullable(PODS))
        .await?;
    watcher.reports(&of, Wanted::Well, pods.ready(PODS)).await?;

    let crashing = Wanted::no(HealthCode::CrashLooping);
    let crashing = watcher.reports(&of, crashing, pods.crash_looping(PODS));
    let crashing = crashing.await?;
    let reasons = &verdict(&crashing).expect("it was judged").reasons;
    let sentence = &reasons[0].message;
    assert!(sentence.contains("exit code 1"), "{sentence}");
    watcher.reports(&of, Wanted::Well, pods.ready(PODS)).await?;

    let unready = Wanted::no(HealthCode::ContainerNotReady);
    watcher.reports(&of, unready, pods.unready(PODS)).await?;
    watcher.reports(&of, Wanted::Well, pods.ready(PODS)).await?;
    Ok(())
}

/// OLM accepts a Deployment without replicas. It creates a missing Deployment again immediately.
async fn deployments_break(stage: &mut Stage) -> Result<(), Failure> {
    let editor = stage.editor();
    let (of, watcher) = (operator("sloop"), &mut stage.watcher);
    let scaled = |replicas: u32| {
        let change = json!({"spec": {"replicas": replicas}});
        editor.patch(Kind::Deployment, "sloop", change)
    };
    // OLM does not report this. But OLM may still process the earlier state and report a failure.
    let without = Wanted::Among(State::No, HealthCode::DeploymentScaledToZero);
    watcher.reports(&of, without, scaled(0)).await?;
    watcher.reports(&of, Wanted::Well, scaled(1)).await?;

    let deleted = editor.delete(Kind::Deployment, "sloop");
    watcher.reports(&of, Wanted::NotWell, deleted).await?;
    watcher.then(&of, Wanted::Well).await;
    Ok(())
}

/// OLM may notice that the CRD is missing, or not. It does not notice automatically that the CRD
/// exists again.
async fn reports_deleted_crd(stage: &mut Stage, crd: serde_json::Value) -> Result<(), Failure> {
    let editor = stage.editor();
    let (of, watcher) = (operator("sloop"), &mut stage.watcher);
    let kind = Kind::CustomResourceDefinition;
    let name = crd["metadata"]["name"].as_str();
    let name = name.expect("a definition must have a name").to_owned();
    let missing = Wanted::no(HealthCode::CrdMissing);
    watcher
        .reports(&of, missing, editor.delete(kind, &name))
        .await?;
    let crds = kind.everywhere(stage.world.client());
    let back = async {
        editor.create(kind, &name, crd).await?;
        let names = "/status/acceptedNames/plural";
        until_field(&crds, &name, names, "sloops").await?;
        editor.touch(FIRST).await
    };
    watcher.reports(&of, Wanted::Well, back).await?;
    Ok(())
}

async fn hops(stage: &mut Stage) -> Result<(), Failure> {
    let sloop = stage.world.operator("sloop");
    let (of, watcher) = (operator("sloop"), &mut stage.watcher);
    let plan = sloop.plan(SECOND).await?;
    let approved = sloop.approve(&plan);
    watcher
        .reports(&of, Wanted::Running(SECOND), approved)
        .await?;
    println!("health: so it hopped: {:#?}", watcher.since_mark());
    Ok(())
}

/// The operator has no Subscription, and is then removed.
async fn goes(stage: &mut Stage) -> Result<(), Failure> {
    let editor = stage.editor();
    let watcher = &mut stage.watcher;
    let deleted = editor.delete(Kind::Subscription, "sloop");
    watcher
        .reports(&operator("sloop"), Wanted::Gone, deleted)
        .await?;
    watcher.until(&orphan(SECOND), Wanted::Well).await;
    let deleted = editor.delete(Kind::ClusterServiceVersion, SECOND);
    watcher
        .reports(&orphan(SECOND), Wanted::Gone, deleted)
        .await?;
    Ok(())
}
