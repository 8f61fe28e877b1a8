//! Tests that `portolan approve` approves InstallPlans of OLM.

use std::process::Command;

use portolan_controller::approve::{PlanApprover, PlanNotApproved, PlanState};
use portolan_kit::catalog;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::json;

use super::policy::design;
use super::stage::{Stage, stage};
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::program::{output, portolan};

/// Runs `portolan approve` in the namespace of a stage. Returns the exit code and the output. If
/// OLM changes the plan in the meantime, runs the command again, as a user would.
async fn approve(stage: &Stage, words: &[&str]) -> Result<(Option<i32>, String), Failure> {
    until("OLM to leave the plan alone", PATIENCE, async || {
        let (code, text) = approve_once(stage, words).await?;
        Ok(if text.contains("has changed since it was displayed") {
            Seen::NotYet(text)
        } else {
            Seen::Yes((code, text))
        })
    })
    .await
}

async fn approve_once(stage: &Stage, words: &[&str]) -> Result<(Option<i32>, String), Failure> {
    let mut command = Command::new(portolan().await?);
    let kubeconfig = stage.world.cluster().kubeconfig();
    command.arg("approve").args(words);
    command.args(["-n", stage.world.namespace()]);
    command.arg(kubeconfig_flag(&kubeconfig));
    let output = output(command).await?;
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok((output.status.code(), text))
}

/// Waits until OLM has created a plan for this bundle, and until the Subscription refers to the
/// plan. Returns the name of the plan.
async fn current_plan(stage: &Stage, bundle: &str) -> Result<String, Failure> {
    let plan = stage.plan(&[bundle]).await?;
    until("the Subscription to name its plan", PATIENCE, async || {
        let review = stage.review(&plan).await?;
        let verdict = review.verdict.clone().unwrap_or_default();
        let is_other = verdict.reasons.iter().any(|it| it.code == "NotCurrent");
        Ok(if is_other || !review.waits {
            Seen::NotYet(format!("{review:?}"))
        } else {
            Seen::Yes(())
        })
    })
    .await?;
    Ok(plan)
}

#[tokio::test]
async fn command_approves_pending_plan_and_olm_installs() -> Result<(), Failure> {
    let Some(stage) = stage("by-command").await? else {
        return Ok(());
    };
    let _served = stage.serve(&catalog("hull: 1.0.0").installable()).await?;
    stage.subscribe(&["hull"], "Manual").await?;
    stage.author.editor.group("group").await?;
    let plan = current_plan(&stage, "hull.v1.0.0").await?;

    let (code, text) = approve(&stage, &["hull"]).await?;
    assert_eq!(code, Some(2), "no terminal: {text}");
    let (code, text) = approve(&stage, &["sub/hull", "--dry-run"]).await?;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("(server dry run)"), "{text}");
    assert_changed_plan_is_refused(&stage, &plan).await?;
    assert!(!is_approved(&stage, &plan).await?);

    let (code, text) = approve(&stage, &["hull", "--yes"]).await?;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("NoPolicy"), "{text}");
    assert!(text.contains("ClusterServiceVersion hull.v1.0.0"), "{text}");
    let operator = stage.world.operator("hull");
    operator.until_phase("hull.v1.0.0", "Succeeded").await?;
    let (code, text) = approve(&stage, &[&format!("installplan/{plan}"), "--yes"]).await?;
    assert_eq!(code, Some(0), "approved before: {text}");
    Ok(())
}

/// The API server rejects the approval if the plan is in another state, or if it is another plan
/// with the same name.
async fn assert_changed_plan_is_refused(stage: &Stage, name: &str) -> Result<(), Failure> {
    let plans = stage.author.editor.objects(Kind::InstallPlan);
    let plan = plans.get(name).await?;
    let shown = PlanState {
        namespace: stage.world.namespace().to_owned(),
        name: name.to_owned(),
        uid: plan.metadata.uid.clone().unwrap_or_default(),
        resource_version: plan.metadata.resource_version.clone().unwrap_or_default(),
    };
    // First, another plan in the current state. Then, this plan in an earlier state.
    let note = json!({"metadata": {"annotations": {"rig.test/changed": "since"}}});
    let editor = &stage.author.editor;
    editor.patch(Kind::InstallPlan, name, note).await?;
    let now = plans.get(name).await?.metadata.resource_version;
    let other = PlanState {
        uid: "00000000-0000-0000-0000-000000000000".to_owned(),
        resource_version: now.unwrap_or_default(),
        ..shown.clone()
    };
    let approver = PlanApprover::of(stage.world.client().clone(), false);
    for state in [&shown, &other] {
        let approved = approver.approve(state).await;
        assert!(
            matches!(approved, Err(PlanNotApproved::Changed)),
            "{state:?}: {approved:?}"
        );
        let read = approver.read(state).await.map(drop);
        assert!(matches!(read, Err(PlanNotApproved::Changed)), "{read:?}");
    }
    Ok(())
}

async fn is_approved(stage: &Stage, plan: &str) -> Result<bool, Failure> {
    let plans = stage.author.editor.objects(Kind::InstallPlan);
    Ok(plans.get(plan).await?.data["spec"]["approved"] == true)
}

#[tokio::test]
async fn command_refuses_plan_that_policy_denies() -> Result<(), Failure> {
    let Some(stage) = stage("by-command-denied").await? else {
        return Ok(());
    };
    stage
        .author
        .write(&design("hull", &["hull.v0.9.0"]))
        .await?;
    let _served = stage.serve(&catalog("hull: 1.0.0").installable()).await?;
    stage.subscribe(&["hull"], "Manual").await?;
    stage.author.editor.group("group").await?;
    let plan = current_plan(&stage, "hull.v1.0.0").await?;

    let (code, text) = approve(&stage, &["hull", "--yes"]).await?;
    assert_eq!(code, Some(1), "{text}");
    let policy = format!("{}/hull", stage.world.namespace());
    let flag = format!("--override-policy {policy}");
    assert!(
        text.contains("NotAllowed") && text.contains(&flag),
        "{text}"
    );
    assert!(!is_approved(&stage, &plan).await?);

    let (code, text) = approve(&stage, &["hull", "--yes", "--override-policy", &policy]).await?;
    assert_eq!(code, Some(0), "{text}");
    let operator = stage.world.operator("hull");
    operator.until_phase("hull.v1.0.0", "Succeeded").await?;
    Ok(())
}
