//! Tests output other than the first fix: alternative fixes, and fixes that do not depend on the
//! publisher.

use std::time::Duration;

use portolan_core_diagnosis::Code;
use portolan_kit::catalog;
use portolan_rig::{Component, Failure, Kind};
use serde_json::json;

use super::diagnoses::{one, root};
use super::rollouts::Refusal;
use super::stage::{Dumped, Stage, own_stage, stage};
use crate::approval::policy::design;

/// The time in which OLM finishes the work on an installed version.
const SETTLES: Duration = Duration::from_secs(15);

/// An operator that watches all namespaces has a copy in each namespace.
#[tokio::test]
async fn second_fix_for_operator_groups_works() -> Result<(), Failure> {
    let Some(mut stage) = own_stage("dx-choices").await? else {
        return Ok(());
    };
    let offered = catalog("dunlin: 1.0.0").installable();
    let offered = offered.with_install_modes(&["OwnNamespace", "AllNamespaces"]);
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.subscribe("dunlin").await?;
    let missing = root("dunlin", Code::OperatorGroupMissing, "OperatorGroup");
    let all = "Create an OperatorGroup for all namespaces";
    stage.heals_by(missing, all).await?;

    stage.editor.group("second").await?;
    stage
        .diagnoses
        .until_reason("dunlin", "TooManyOperatorGroups")
        .await;
    let several = root(
        "dunlin",
        Code::OperatorGroupsConflict,
        "OperatorGroup second",
    );
    let here = stage.world.namespace().to_owned();
    stage
        .heals_by(several, &format!("Keep OperatorGroup {here}/second,"))
        .await?;

    let account = r#"{"spec": {"serviceAccountName": "nobody"}}"#;
    stage
        .types(&format!("kubectl -n $NS patch operatorgroups.operators.coreos.com second --type merge -p '{account}'"))
        .await?;
    let group = root(
        "dunlin",
        Code::GroupServiceAccountMissing,
        "OperatorGroup second",
    );
    stage
        .heals_by(group, "Let OLM install with its own ServiceAccount")
        .await?;

    let other = r#"{"spec": {"targetNamespaces": ["default"]}}"#;
    stage
        .types(&format!("kubectl -n $NS patch operatorgroups.operators.coreos.com second --type merge -p '{other}'"))
        .await?;
    stage
        .diagnoses
        .until_reason("dunlin", "UnsupportedOperatorGroup")
        .await;
    let mode = root(
        "dunlin",
        Code::InstallModeUnsupported,
        "OperatorGroup second",
    );
    let all = format!("Let OperatorGroup {here}/second select all namespaces.");
    stage.heals_by(mode, &all).await
}

#[tokio::test]
async fn second_fix_for_subscription_fields_works() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-wishes").await? else {
        return Ok(());
    };
    let offered = catalog("petrel: 1.0.0; avocet: 1.0.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("petrel start=petrel.v1.0.1").await?;
    let start = root("petrel", Code::StartingCsvMissing, "Subscription petrel");
    let here = stage.world.namespace().to_owned();
    let take = format!("Remove startingCSV from Subscription {here}/petrel.");
    stage.heals_by(start, &take).await?;

    stage.subscribe("avocet/stabel").await?;
    let channel = root("avocet", Code::ChannelMissing, "Subscription avocet");
    stage
        .does_by(channel, &format!("Delete Subscription {here}/avocet."))
        .await?;
    stage.diagnoses.until_gone("avocet").await;
    stage.well("petrel").await
}

/// The operator has no Subscription, but it runs.
#[tokio::test]
async fn second_fix_adopts_csv_without_subscription() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-adopt").await? else {
        return Ok(());
    };
    let offered = catalog("knot: 1.0.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("knot").await?;
    stage.well("knot").await?;
    stage
        .types("kubectl -n $NS delete subscriptions.operators.coreos.com knot")
        .await?;
    stage.subscribe("knot").await?;
    let csv = "ClusterServiceVersion knot.v1.0.0";
    let orphan = root("knot", Code::BlockedByOrphan, csv);
    // OLM overwrites the status with older content. Then the same diagnosis is reported again.
    stage
        .repeats_by(orphan, "Set knot.v1.0.0 in the status of Subscription")
        .await
}

/// The publisher does not fix the problem. So the user accepts a risk and uses another fix.
#[tokio::test]
#[ignore = "OLM takes its time for more than a minute: just soak"]
async fn user_can_bypass_the_publisher_with_another_fix() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-beyond").await? else {
        return Ok(());
    };
    let mut fleet = stage
        .serve("fleet", &catalog("snipe: 1.0.0").installable())
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("snipe start=snipe.v1.0.0").await?;
    stage.well("snipe").await?;
    let fleet_of = "CatalogSource fleet";

    let forbidden = catalog("snipe: 1.0.0 -> 1.1.0 -> 1.2.0").installable();
    let forbidden = forbidden.with_property("snipe.v1.1.0", "olm.deprecated", json!({}));
    stage.serve_again(&mut fleet, &forbidden).await?;
    let hop = root("snipe", Code::NextVersionNotAllowed, fleet_of);
    beyond(&stage, hop).await?;
    stage.well_as("snipe", "snipe.v1.2.0").await;

    let nowhere = catalog("snipe: 2.0.0").installable();
    stage.serve_again(&mut fleet, &nowhere).await?;
    let end = root("snipe", Code::DeadEnd, fleet_of);
    let csv = "ClusterServiceVersion snipe.v1.2.0";
    let orphan = root("snipe", Code::BlockedByOrphan, csv);
    // OLM may overwrite the changed status with older content.
    stage.is_cleared_by(orphan, "Record ", end).await?;
    beyond(&stage, end).await?;
    stage.well_as("snipe", "snipe.v2.0.0").await;
    Ok(())
}

async fn beyond(stage: &Stage, wanted: super::diagnoses::Wanted) -> Result<(), Failure> {
    // OLM may execute an InstallPlan twice. It would then create an object again that was deleted
    // in between.
    tokio::time::sleep(SETTLES).await;
    stage.does_by(wanted, "Do not wait").await
}

/// OLM runs the registry in a Pod, but no process listens on its port. The fix deletes the Pod, and
/// OLM creates it again.
#[tokio::test]
async fn fix_recreates_catalog_pod() -> Result<(), Failure> {
    let Some(stage) = stage("dx-silent").await? else {
        return Ok(());
    };
    let spec = json!({
        "sourceType": "grpc",
        "image": "registry.test/plovers:1",
        "grpcPodConfig": {"securityContextConfig": "restricted"},
    });
    let body = json!({"spec": spec});
    stage
        .editor
        .create(Kind::CatalogSource, "plovers", body)
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("plover from plovers").await?;
    let lost = root("plover", Code::CatalogUnreachable, "CatalogSource plovers");
    let fix = stage.fix(lost, Dumped::InOtherWords).await?;
    stage.types(&fix).await?;
    let anew = "kubectl -n $NS wait pods -l olm.catalogSource=plovers --for=create --timeout=180s";
    stage.types(anew).await
}

/// A Manual Subscription in the namespace blocks all other Subscriptions. The fix makes it
/// Automatic.
#[tokio::test]
async fn fix_makes_neighbor_subscription_automatic() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-forced").await? else {
        return Ok(());
    };
    let offered = catalog("swan: 1.0.0 -> 1.1.0; goose: 1.0.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("swan manual start=swan.v1.0.0").await?;
    let waits = root("swan", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.does(waits).await?;
    stage.well_as("swan", "swan.v1.0.0").await;
    stage.diagnoses.until(&waits).await;
    stage.subscribe("goose").await?;
    let forced = root("goose", Code::PlanForcedManual, "Subscription swan");
    let here = stage.world.namespace().to_owned();
    let automatic = format!("Set Subscription {here}/swan to automatic approval from now on");
    stage.does_by(forced, &automatic).await?;
    // The pending InstallPlan still exists, but contains only the Manual Subscription.
    let waits = root("goose", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.does(waits).await?;
    stage.well("goose").await
}

/// First the fix changes the policy. Then the user approves the InstallPlan.
#[tokio::test]
async fn plan_that_a_policy_does_not_allow_is_fixed() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-withheld").await? else {
        return Ok(());
    };
    let offered = catalog("sora: 1.0.0 -> 1.1.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("sora manual start=sora.v1.0.0").await?;
    let waits = root("sora", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.does(waits).await?;
    stage.well_as("sora", "sora.v1.0.0").await;
    let policy = design("sora", &["sora.v1.0.0"]).asks("channel", "stable".into());
    let body = policy.body(stage.world.namespace());
    stage
        .editor
        .create(Kind::OperatorPolicy, "sora", body.clone())
        .await?;
    // Two policies for the same Subscription have no effect. A manual approval would ignore both
    // policies.
    stage
        .editor
        .create(Kind::OperatorPolicy, "sora-too", body)
        .await?;
    let overlap = root("sora", Code::PlanAwaitsApproval, "OperatorPolicy sora");
    let kept = format!("Keep policy {}/sora enforced, ", stage.world.namespace());
    stage.does_by(overlap, &kept).await?;
    stage
        .diagnoses
        .shows("the policy to withhold it", |all| {
            let root = one(all, "sora").and_then(|one| one.cause.as_ref());
            root.is_some_and(|root| root.message.contains("allows only"))
        })
        .await;
    stage.does(waits).await?;
    stage.diagnoses.until(&waits).await;
    stage.does_by(waits, "Approve InstallPlan").await?;
    stage.well("sora").await
}

/// The Deployment is missing. OLM does not create it again, because the controller of OLM does not
/// respond.
#[tokio::test]
async fn fix_recreates_missing_deployment() -> Result<(), Failure> {
    let Some(mut stage) = own_stage("dx-absent").await? else {
        return Ok(());
    };
    let _fleet = stage
        .serve("fleet", &catalog("coot: 1.0.0").installable())
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("coot").await?;
    stage.well("coot").await?;
    let cluster = stage.world.cluster().clone();
    cluster.freeze(Component::Olm)?;
    stage
        .types("kubectl -n $NS delete deployments.apps coot")
        .await?;
    let missing = root("coot", Code::DeploymentMissing, "Deployment coot");
    let fix = stage.fix(missing, Dumped::Alike).await?;
    cluster.thaw(Component::Olm)?;
    stage.types(&fix).await?;
    stage.well("coot").await
}

/// A policy of the cluster denies the Deployment. When the policy allows it, OLM creates it without
/// a further action.
#[tokio::test]
async fn rejected_deployment_names_the_policy() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-reject").await? else {
        return Ok(());
    };
    let _fleet = stage
        .serve("fleet", &catalog("coot: 1.0.0").installable())
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("coot").await?;
    stage.well("coot").await?;
    let refusal = Refusal::of(&stage, "apps", "deployments", "coots are not welcome");
    refusal.create(&stage).await?;
    stage
        .types("kubectl -n $NS delete deployments.apps coot")
        .await?;
    let policy = "ValidatingAdmissionPolicy dx-reject-";
    let rejected = root("coot", Code::DeploymentRejected, policy);
    stage.external(rejected, Dumped::InOtherWords).await?;
    refusal.delete(&stage).await?;
    stage.well("coot").await
}
