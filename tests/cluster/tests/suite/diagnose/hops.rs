//! Tests with upgrades that do not start, and with versions that only seem to be installed.

use portolan_core_diagnosis::Code;
use portolan_kit::catalog;
use portolan_rig::Failure;
use serde_json::json;

use super::diagnoses::root;
use super::stage::{Dumped, Stage, stage};
use crate::approval::policy::design;

const FLEET: &str = "CatalogSource fleet";

/// The catalog changes after the operator was installed.
#[tokio::test]
async fn diagnoses_channel_without_upgrade() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-ways").await? else {
        return Ok(());
    };
    let mut fleet = stage
        .serve("fleet", &catalog("snipe: 1.0.0").installable())
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("snipe").await?;
    stage.well("snipe").await?;

    stage
        .serve_again(&mut fleet, &catalog("snipe: 2.0.0").installable())
        .await?;
    let end = root("snipe", Code::DeadEnd, FLEET);
    stage.external(end, Dumped::Alike).await?;

    let ranged = catalog("snipe: 2.0.0 covers >=1.5.0 <2.0.0").installable();
    stage.serve_again(&mut fleet, &ranged).await?;
    let range = root("snipe", Code::OutOfSkipRange, FLEET);
    stage.external(range, Dumped::Alike).await?;

    let forbidden = catalog("snipe: 1.0.0 -> 1.1.0").installable();
    let forbidden = forbidden.with_property("snipe.v1.1.0", "olm.deprecated", json!({}));
    stage.serve_again(&mut fleet, &forbidden).await?;
    let hop = root("snipe", Code::NextVersionNotAllowed, FLEET);
    stage.external(hop, Dumped::Alike).await?;

    let round = catalog("snipe: 2.0.0; snipe/fast: 1.0.0 -> 2.0.0").installable();
    stage.serve_again(&mut fleet, &round).await?;
    stage
        .heals(root("snipe", Code::DeadEnd, "Subscription snipe"))
        .await?;
    stage.well_as("snipe", "snipe.v2.0.0").await;
    Ok(())
}

/// The output contains all steps of the upgrade through the other channel, and the step back to the
/// first channel.
#[tokio::test]
async fn fixes_upgrade_path_over_another_channel() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-round").await? else {
        return Ok(());
    };
    let mut fleet = stage
        .serve("fleet", &catalog("siskin: 1.0.0").installable())
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("siskin").await?;
    stage.well("siskin").await?;
    let round = "siskin: 2.0.0 covers >=1.5.0 <2.0.0; siskin/old: 1.0.0 -> 1.5.0";
    stage
        .serve_again(&mut fleet, &catalog(round).installable())
        .await?;
    let range = root("siskin", Code::OutOfSkipRange, "Subscription siskin");
    stage.heals(range).await?;
    stage.well_as("siskin", "siskin.v2.0.0").await;
    Ok(())
}

/// A user deletes the Subscription of an installed operator and creates it again.
#[tokio::test]
async fn fixes_csv_without_subscription() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-gone").await? else {
        return Ok(());
    };
    let offered = catalog("knot: 1.0.0; ruff: 1.0.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("knot").await?;
    stage.well("knot").await?;
    stage
        .types("kubectl -n $NS delete subscriptions.operators.coreos.com knot")
        .await?;
    stage.subscribe("knot").await?;
    let csv = "ClusterServiceVersion knot.v1.0.0";
    stage
        .heals(root("knot", Code::BlockedByOrphan, csv))
        .await?;

    diagnoses_blocking_neighbor(&stage).await
}

/// OLM tries again after the user deletes the Subscription that blocked all others.
async fn diagnoses_blocking_neighbor(stage: &Stage) -> Result<(), Failure> {
    stage.subscribe("ruff is ruf").await?;
    let missing = root("ruff", Code::PackageMissing, "Subscription ruff");
    stage.diagnoses.until(&missing).await;
    let blocked = root("knot", Code::BlockedByNeighbor, "Subscription ruff");
    stage.until_diagnosed(blocked, Dumped::Alike).await?;
    stage
        .types("kubectl -n $NS delete subscriptions.operators.coreos.com ruff")
        .await?;
    stage.well("knot").await?;
    Ok(())
}

#[tokio::test]
async fn fixes_allowed_version_that_olm_skips() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-leap").await? else {
        return Ok(());
    };
    let offered = catalog("dotterel: 1.0.0 -> 1.1.0 -> 1.2.0 skips 1.0.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage
        .subscribe("dotterel manual start=dotterel.v1.0.0")
        .await?;
    let waits = root("dotterel", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.does(waits).await?;
    stage.well_as("dotterel", "dotterel.v1.0.0").await;
    let allowed = ["dotterel.v1.0.0", "dotterel.v1.1.0"];
    let policy = design("dotterel", &allowed).asks("channel", "stable".into());
    let body = policy.body(stage.world.namespace());
    let kind = portolan_rig::Kind::OperatorPolicy;
    stage.editor.create(kind, "dotterel", body).await?;
    let leapt = root(
        "dotterel",
        Code::AllowedVersionSkipped,
        "OperatorPolicy dotterel",
    );
    stage.does(leapt).await?;
    // The policy allows the InstallPlan, but no controller runs that would approve it.
    stage.diagnoses.until(&waits).await;
    Ok(())
}

/// OLM reports an invalid bundle with its own error.
#[tokio::test]
async fn diagnoses_malformed_bundle() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-bad").await? else {
        return Ok(());
    };
    let mut offered = catalog("dunnock: 1.0.0").installable();
    let csv = &mut offered.packages[0].bundles[0].objects[0];
    csv["spec"]["install"]["strategy"] = "feathers".into();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("dunnock").await?;
    let failed = root("dunnock", Code::ResolutionFailed, "Subscription dunnock");
    stage.external(failed, Dumped::Alike).await
}

/// OLM fails the installation after 20 seconds. When the Pods become ready later, OLM tries again.
#[tokio::test]
async fn operator_recovers_after_install_deadline() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-deadline").await? else {
        return Ok(());
    };
    let offered = catalog("avocet: 1.0.0").installable();
    let offered = offered.with_pod_state("1.0.0", "crash-looping");
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("avocet").await?;
    stage
        .diagnoses
        .until_reason("avocet", "InstallCheckFailed")
        .await;
    let crashes = root("avocet", Code::CrashLooping, "Deployment avocet");
    let check = stage.later(crashes, "After the repair, check").await?;
    stage.world.pods().ready("operator=avocet").await?;
    stage.well("avocet").await?;
    stage.types(&check).await?;
    Ok(())
}

/// The version that failed also blocks the version that would fix it.
#[tokio::test]
async fn failed_release_with_a_successor_is_fixed() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-release").await? else {
        return Ok(());
    };
    let broken = catalog("curlew: 1.0.0").installable();
    let broken = broken.with_pod_state("1.0.0", "crash-looping");
    let mut fleet = stage.serve("fleet", &broken).await?;
    stage.editor.group("group").await?;
    stage.subscribe("curlew").await?;
    stage
        .diagnoses
        .until_reason("curlew", "InstallCheckFailed")
        .await;
    // OLM would try an upgrade from the failed version.
    let corrected = catalog("curlew: 1.0.1").installable();
    stage.serve_again(&mut fleet, &corrected).await?;
    let crashes = root("curlew", Code::CrashLooping, "Deployment curlew");
    let anew = stage
        .later(crashes, "When a corrected version is available")
        .await?;
    stage.types(&anew).await?;
    stage.well_as("curlew", "curlew.v1.0.1").await;
    Ok(())
}

/// OLM creates the ClusterServiceVersion, but does not install it.
#[tokio::test]
async fn upgrade_that_needs_a_newer_kubernetes_is_diagnosed() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-newer").await? else {
        return Ok(());
    };
    let mut offered = catalog("bunting: 1.0.0 -> 1.1.0").installable();
    let newer = &mut offered.packages[0].bundles[1];
    newer.objects[0]["spec"]["minKubeVersion"] = "9.0.0".into();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage
        .subscribe("bunting manual start=bunting.v1.0.0")
        .await?;
    let waits = root("bunting", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.does(waits).await?;
    stage.well_as("bunting", "bunting.v1.0.0").await;
    let newer = root("bunting", Code::NotForThisCluster, "Bundle bunting.v1.1.0");
    stage.external(newer, Dumped::Unknown).await
}

/// OLM rejects a webhook that matches all objects.
#[tokio::test]
async fn diagnoses_webhook_that_olm_rejects() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-greedy").await? else {
        return Ok(());
    };
    let mut offered = catalog("cuckoo: 1.0.0").installable();
    let csv = &mut offered.packages[0].bundles[0].objects[0];
    csv["spec"]["webhookdefinitions"] = json!([{
        "type": "ValidatingAdmissionWebhook",
        "generateName": "all.cuckoo.test",
        "deploymentName": "cuckoo",
        "containerPort": 443,
        "targetPort": 9443,
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "webhookPath": "/all",
        "rules": [{
            "operations": ["*"],
            "apiGroups": ["*"],
            "apiVersions": ["*"],
            "resources": ["*"],
        }],
    }]);
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("cuckoo").await?;
    let csv = "ClusterServiceVersion cuckoo.v1.0.0";
    let failed = root("cuckoo", Code::CsvFailed, csv);
    stage.external(failed, Dumped::Alike).await
}
