//! Tests with Jobs between stages.

use kube::api::ListParams;
use portolan_kit::assert_same;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, config_map, engine, manifest, stage};

/// Returns a Job. Its Pods exit with this code.
pub(super) fn job(name: &str, exit: &str) -> Value {
    json!({"name": name, "template": {"spec": {
        "backoffLimit": 0,
        "template": {
            "metadata": {"annotations": {"rig.test/exit-code": exit}},
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "ferry.test/ferry:1"}],
            },
        },
    }}})
}

/// Returns the spec of a plan with two stages. The first stage contains these Jobs.
fn spec(namespace: &str, jobs: Value) -> Value {
    let mut first = stage("first", &[config_map([namespace, "a"], "1")]);
    first["jobs"] = jobs;
    let second = stage("second", &[config_map([namespace, "b"], "1")]);
    json!({"serviceAccountName": INSTALLER, "stages": [first, second]})
}

/// Returns the Jobs of a namespace, sorted by name. Each Job has the ServiceAccount of its Pods.
async fn jobs(engine: &Engine) -> Result<Vec<[String; 2]>, Failure> {
    let any = manifest("batch/v1", "Job", [engine.namespace(), ""]);
    let all = engine.api(&any).list(&ListParams::default()).await?.items;
    let jobs = all.into_iter().map(|job| {
        let name = job.metadata.name.unwrap_or_default();
        let (name, _) = name.rsplit_once('-').expect("a hash");
        let account = &job.data["spec"]["template"]["spec"]["serviceAccountName"];
        [
            name.to_owned(),
            account.as_str().unwrap_or_default().to_owned(),
        ]
    });
    Ok(jobs.collect())
}

/// The next stage starts when all Jobs are complete. The Jobs run with the ServiceAccount of the
/// plan. A Job runs only once, even if it is deleted later. The deletion of the plan also deletes
/// the Jobs.
#[tokio::test]
async fn stage_waits_for_jobs_of_the_previous_stage() -> Result<(), Failure> {
    let Some(mut engine) = engine("pl-jobs").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace().to_owned();
    let two = json!([job("migrate", "0"), job("check", "0")]);
    engine.plan_of("ferry", spec(&namespace, two)).await?;
    engine.until_ready("ferry").await?;
    let made = ["ferry-check", "ferry-migrate"].map(|name| [name, INSTALLER].map(str::to_owned));
    assert_same!(jobs(&engine).await?, made);
    let states = &engine.status("ferry").await?["jobs"];
    assert_eq!(
        [&states[0]["state"], &states[1]["state"]],
        ["Succeeded", "Succeeded"]
    );
    let any = manifest("batch/v1", "Job", [&namespace, ""]);
    let all = engine.api(&any).list(&ListParams::default()).await?.items;
    for job in &all {
        engine
            .delete(&manifest(
                "batch/v1",
                "Job",
                [&namespace, job.metadata.name.as_deref().expect("a name")],
            ))
            .await?;
    }
    engine.stop();
    engine.start().await?;
    engine.change("ferry", json!({"suspend": false})).await?;
    engine
        .until("ferry", ["Drifted", "False", "NotDrifted"])
        .await?;
    assert_eq!(engine.status("ferry").await?["phase"], "Ready");
    assert_same!(jobs(&engine).await?, Vec::<[String; 2]>::new());
    Ok(())
}

/// A failed Job is reported, and the next stage does not start until a retry is requested.
#[tokio::test]
async fn failed_job_is_reported_and_retried_on_demand() -> Result<(), Failure> {
    let Some(engine) = engine("pl-job-fails").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let one = json!([job("migrate", "1")]);
    engine.plan_of("ferry", spec(namespace, one)).await?;
    let message = engine
        .until("ferry", ["Applied", "False", "JobFailed"])
        .await?;
    assert!(
        message.starts_with("stage 1 of 2 (first): Job.batch"),
        "{message}"
    );
    assert_eq!(engine.status("ferry").await?["phase"], "Failed");
    engine.until_event("ferry", "JobFailed").await?;
    let second = config_map([namespace, "b"], "1");
    assert!(engine.object(&second).await?.is_none());
    assert_eq!(jobs(&engine).await?.len(), 1);
    engine.retry("ferry").await?;
    until("a second run", PATIENCE, async || {
        let status = engine.status("ferry").await?;
        let is_run = status["jobs"][0]["run"] == 2 && status["phase"] == "Failed";
        Ok(if is_run {
            Seen::Yes(())
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await?;
    assert_eq!(jobs(&engine).await?.len(), 2);
    Ok(())
}

/// Before the plan starts, it reports Jobs for which permissions are missing, and Jobs that the API
/// server rejects.
#[tokio::test]
async fn forbidden_or_invalid_job_is_reported_beforehand() -> Result<(), Failure> {
    let Some(engine) = engine("pl-job-denied").await? else {
        return Ok(());
    };
    let verbs = ["create", "get", "list", "patch", "watch"];
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs}]);
    engine.allow("maps", rules).await?;
    let namespace = engine.namespace();
    let mut wrong = job("migrate", "0");
    wrong["template"]["spec"]["template"]["spec"]["restartPolicy"] = json!("Always");
    engine
        .plan_of("ferry", spec(namespace, json!([wrong])))
        .await?;
    let message = engine
        .until("ferry", ["Permitted", "False", "PermissionMissing"])
        .await?;
    assert!(message.contains("jobs"), "{message}");
    let rules = json!([{"apiGroups": ["batch"], "resources": ["jobs"], "verbs": verbs}]);
    engine.allow("jobs", rules).await?;
    let message = engine
        .until("ferry", ["Valid", "False", "DryRunRejected"])
        .await?;
    assert!(
        message.contains("spec.stages[0].jobs[0] is refused"),
        "{message}"
    );
    assert!(
        engine
            .object(&config_map([namespace, "a"], "1"))
            .await?
            .is_none()
    );
    Ok(())
}
