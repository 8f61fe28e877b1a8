//! Jobs between stages.

use kube::api::ListParams;
use portolan_kit::assert_same;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, config_map, engine, manifest, stage};

/// A Job whose Pods end like this.
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

/// A plan of two stages, of which the first has these Jobs.
fn spec(namespace: &str, jobs: Value) -> Value {
    let mut first = stage("first", &[config_map([namespace, "a"], "1")]);
    first["jobs"] = jobs;
    let second = stage("second", &[config_map([namespace, "b"], "1")]);
    json!({"serviceAccountName": INSTALLER, "stages": [first, second]})
}

/// The Jobs of a namespace: each with the account of its Pods, in order of their names.
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

/// The next stage begins once they are complete, they run as the plan's account, once each, also when
/// somebody deletes them later, and go with the plan.
#[tokio::test]
async fn a_stage_waits_for_the_jobs_of_the_one_before_it() -> Result<(), Failure> {
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

/// A Job that fails is told and holds the next stage, until somebody says that it is to be run again.
#[tokio::test]
async fn a_job_that_fails_is_told_and_run_again_on_demand() -> Result<(), Failure> {
    let Some(engine) = engine("pl-job-fails").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let one = json!([job("migrate", "1")]);
    engine.plan_of("ferry", spec(namespace, one)).await?;
    let told = engine
        .until("ferry", ["Applied", "False", "JobFailed"])
        .await?;
    assert!(
        told.starts_with("stage 1 of 2 (first): Job.batch"),
        "{told}"
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

/// What the account may not do is told beforehand, and so is a Job that the API server refuses.
#[tokio::test]
async fn what_keeps_a_job_from_running_is_told_first() -> Result<(), Failure> {
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
    let told = engine
        .until("ferry", ["Permitted", "False", "PermissionMissing"])
        .await?;
    assert!(told.contains("jobs"), "{told}");
    let rules = json!([{"apiGroups": ["batch"], "resources": ["jobs"], "verbs": verbs}]);
    engine.allow("jobs", rules).await?;
    let told = engine
        .until("ferry", ["Valid", "False", "ServerRefuses"])
        .await?;
    assert!(told.contains("spec.stages[0].jobs[0] is refused"), "{told}");
    assert!(
        engine
            .object(&config_map([namespace, "a"], "1"))
            .await?
            .is_none()
    );
    Ok(())
}
