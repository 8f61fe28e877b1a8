//! Tests with InstallPlans that wait, are outdated, or fail.

use portolan_core_diagnosis::Code;
use portolan_kit::catalog;
use portolan_rig::{Failure, Kind, until_object};

use super::diagnoses::root;
use super::stage::{Dumped, stage};

#[tokio::test]
async fn fixes_plans_that_await_approval() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-plans").await? else {
        return Ok(());
    };
    let offered = catalog("swan: 1.0.0 -> 1.1.0; goose: 1.0.0; duck: 1.0.0");
    let _fleet = stage.serve("fleet", &offered.installable()).await?;
    stage.editor.group("group").await?;
    stage.subscribe("swan manual start=swan.v1.0.0").await?;
    let waits = root("swan", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.does(waits).await?;
    stage.well_as("swan", "swan.v1.0.0").await;

    // OLM creates another plan that also contains the new Subscription. This plan also waits.
    stage.diagnoses.until(&waits).await;
    stage.subscribe("goose").await?;
    let forced = root("goose", Code::PlanForcedManual, "Subscription swan");
    let (_, printed) = stage.until_diagnosed(forced, Dumped::Alike).await?;
    assert!(printed.text.contains("swan.v1.1.0"), "{}", printed.text);
    stage.does(forced).await?;
    stage.well("goose").await?;
    stage.well_as("swan", "swan.v1.1.0").await;
    Ok(())
}

/// OLM retries for one minute before the InstallPlan fails.
#[tokio::test]
#[ignore = "OLM takes its time for more than a minute: just soak"]
async fn diagnoses_failed_install_plan() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-failed").await? else {
        return Ok(());
    };
    let _fleet = stage
        .serve("fleet", &catalog("loon: 1.0.0").installable())
        .await?;
    let refusal = super::rollouts::Refusal::of(
        &stage,
        "",
        "serviceaccounts",
        "accounts of loons are not welcome",
    );
    refusal.create(&stage).await?;
    stage.editor.group("group").await?;
    stage.subscribe("loon").await?;
    let failed = root("loon", Code::PlanFailed, "InstallPlan install-");
    let fix = stage.fix(failed, Dumped::Alike).await?;
    refusal.delete(&stage).await?;
    stage.types(&fix).await?;
    stage.well("loon").await?;
    Ok(())
}

/// The InstallPlan of an upgrade fails, and its new ClusterServiceVersion stays Pending. Then the
/// InstallPlan of the next upgrade also fails, and a user deletes it.
#[tokio::test]
#[ignore = "OLM takes its time for more than a minute: just soak"]
async fn failed_install_plan_of_an_upgrade_is_repeated() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-repeat").await? else {
        return Ok(());
    };
    let first = catalog("loon: 1.0.0").installable();
    let mut fleet = stage.serve("fleet", &first).await?;
    stage.editor.group("group").await?;
    stage.subscribe("loon").await?;
    stage.well("loon").await?;
    let why = "accounts of loons are not welcome";
    let refusal = super::rollouts::Refusal::of(&stage, "", "serviceaccounts", why);

    refusal.create(&stage).await?;
    let second = catalog("loon: 1.0.0 -> 1.1.0").installable();
    stage.serve_again(&mut fleet, &second).await?;
    let failed = root("loon", Code::PlanFailed, "InstallPlan install-");
    let fix = stage.fix(failed, Dumped::Alike).await?;
    refusal.delete(&stage).await?;
    stage.types(&fix).await?;
    stage.well_as("loon", "loon.v1.1.0").await;

    refusal.create(&stage).await?;
    let third = catalog("loon: 1.0.0 -> 1.1.0 -> 1.2.0").installable();
    stage.serve_again(&mut fleet, &third).await?;
    stage.fix(failed, Dumped::Alike).await?;
    refusal.delete(&stage).await?;
    let delete = "kubectl -n $NS delete installplans.operators.coreos.com $(kubectl -n $NS get \
                  subscriptions.operators.coreos.com loon -o jsonpath='{.status.installPlanRef.name}')";
    stage.types(delete).await?;
    let missing = root("loon", Code::PlanMissing, "InstallPlan install-");
    let fix = stage.fix(missing, Dumped::Alike).await?;
    stage.types(&fix).await?;
    stage.well_as("loon", "loon.v1.2.0").await;
    Ok(())
}

/// The catalog changes while a plan waits. OLM resolves again because of another Subscription.
#[tokio::test]
async fn fixes_superseded_install_plan() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-older").await? else {
        return Ok(());
    };
    let offered = catalog("teal: 1.0.0; wigeon: 1.0.0").installable();
    let mut fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("teal manual").await?;
    let waits = root("teal", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.diagnoses.until(&waits).await;

    let newer = catalog("teal: 1.0.0 -> 1.1.0; wigeon: 1.0.0").installable();
    stage.serve_again(&mut fleet, &newer).await?;
    stage.subscribe("wigeon manual").await?;
    let older = root("teal", Code::PlanSuperseded, "InstallPlan install-");
    stage.diagnoses.until_below(&older).await;
    stage.does(waits).await?;
    stage.well_as("teal", "teal.v1.1.0").await;
    stage.heals(older).await
}

/// One InstallPlan contains the upgrades of two Subscriptions, and a user deletes one of the
/// Subscriptions. The printed fix does not install the deleted operator again.
#[tokio::test]
async fn plan_with_a_bundle_without_a_subscription_is_fixed() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-obsolete").await? else {
        return Ok(());
    };
    let offered = catalog("eider: 1.0.0; smew: 1.0.0").installable();
    let mut fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    for name in ["eider", "smew"] {
        stage.subscribe(name).await?;
        stage.well(name).await?;
    }
    for name in ["eider", "smew"] {
        let manual = format!(
            "kubectl -n $NS patch subscriptions.operators.coreos.com {name} --type merge \
             -p '{{\"spec\":{{\"installPlanApproval\":\"Manual\"}}}}'"
        );
        stage.types(&manual).await?;
    }
    let newer = catalog("eider: 1.0.0 -> 1.1.0; smew: 1.0.0 -> 1.1.0").installable();
    stage.serve_again(&mut fleet, &newer).await?;
    let both = "kubectl -n $NS wait subscriptions.operators.coreos.com eider smew --timeout=180s \
                --for=jsonpath='{.status.state}'=UpgradePending";
    stage.types(both).await?;
    stage
        .types(
            "kubectl -n $NS delete subscriptions.operators.coreos.com smew && \
             kubectl -n $NS delete clusterserviceversions.operators.coreos.com smew.v1.0.0",
        )
        .await?;
    let obsolete = root("eider", Code::PlanObsolete, "InstallPlan install-");
    stage.does(obsolete).await?;
    let waits = root("eider", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.plans_again(waits).await?;
    stage.does(waits).await?;
    stage.well_as("eider", "eider.v1.1.0").await;
    let versions = stage.editor.objects(Kind::ClusterServiceVersion);
    let smew = versions.get_opt("smew.v1.1.0").await?;
    assert!(smew.is_none(), "it is not installed again");
    Ok(())
}

/// OLM has overwritten the status of the Subscription with older content, which names a deleted
/// plan. OLM creates no plan until the name is removed.
#[tokio::test]
async fn subscription_that_names_a_deleted_plan_is_fixed() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-forgotten").await? else {
        return Ok(());
    };
    let offered = catalog("scoter: 1.0.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("scoter manual").await?;
    let older = "kubectl -n $NS wait subscriptions.operators.coreos.com/scoter --timeout=180s \
                 --for=condition=InstallPlanPending && \
                 kubectl -n $NS patch subscriptions.operators.coreos.com/scoter \
                 --subresource=status --type=merge \
                 -p '{\"status\":{\"conditions\":[],\"installPlanRef\":{\"name\":\"install-old\"}}}' && \
                 kubectl -n $NS delete installplans.operators.coreos.com --all";
    stage.types(older).await?;
    let missing = root("scoter", Code::PlanMissing, "InstallPlan install-old");
    let fix = stage.fix(missing, Dumped::Alike).await?;
    assert!(fix.contains("--subresource status"), "{fix}");
    stage.types(&fix).await?;
    let waits = root("scoter", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.does(waits).await?;
    stage.well("scoter").await
}

/// Both versions are in the phase Pending. OLM resolves nothing more in the namespace.
#[tokio::test]
async fn upgrade_over_a_pending_csv_is_fixed() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-pending").await? else {
        return Ok(());
    };
    let mut offered = catalog("garganey: 1.0.0 -> 1.1.0").installable();
    offered.packages[0].bundles[0].objects[0]["spec"]["minKubeVersion"] = "9.0.0".into();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("garganey start=garganey.v1.0.0").await?;
    let versions = stage.editor.objects(Kind::ClusterServiceVersion);
    until_object(&versions, "garganey.v1.1.0", "to be there", |_| true).await?;
    let csv = "ClusterServiceVersion garganey.v1.0.0";
    stage
        .does(root("garganey", Code::PredecessorPending, csv))
        .await?;
    stage.well_as("garganey", "garganey.v1.1.0").await;
    Ok(())
}
