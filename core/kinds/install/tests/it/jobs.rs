//! Tests of Jobs that run between stages.

use portolan_api::plan::{JobState, Phase};
use portolan_core_install::{GroupKind, ObjectRef};
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{describe, run};
use crate::kit::{config_map, faults_of, stage};
use crate::model::{End, Server, identity};
use crate::shell::Shell;

fn template() -> Value {
    json!({"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a"}]}}}})
}

/// Returns a spec with two stages. The first stage runs these Jobs.
fn spec(jobs: &[(&str, u32)]) -> Value {
    let jobs = jobs
        .iter()
        .map(|(name, retries)| json!({"name": name, "retries": retries, "template": template()}));
    let mut first = stage("first", &[config_map("a")]);
    first["jobs"] = jobs.collect();
    json!({"stages": [first, stage("second", &[config_map("b")])]})
}

/// Returns the names of the existing Jobs without the part that differs between runs.
fn jobs(server: &Server) -> Vec<String> {
    let all = server.objects.keys();
    let jobs = all.filter(|identity| identity.kind == GroupKind::new("batch", "Job"));
    let mut names: Vec<_> = jobs
        .map(|job| job.name.rsplit_once('-').expect("a hash").0.to_owned())
        .collect();
    names.sort();
    names
}

fn is_there(server: &Server, name: &str) -> bool {
    server.objects.contains_key(&identity(&config_map(name)))
}

fn only_job(server: &Server) -> ObjectRef {
    let mut all = server.objects.keys();
    let job = all.find(|identity| identity.kind.kind == "Job");
    job.expect("a Job").clone()
}

#[test]
fn next_stage_waits_for_jobs_of_the_previous_stage() {
    let spec = spec(&[("migrate", 0), ("check", 0)]);
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    // Stops after each write: the start of the plan, the object and its status, and then the
    // record, the creation and the uid of the first Job.
    while server
        .status
        .jobs
        .first()
        .is_none_or(|job| job.uid.is_none())
    {
        let before = server.writes;
        assert_eq!(shell.run(&mut server, Some(before + 1)), End::Stopped);
    }
    assert_same!(jobs(&server), ["plan-migrate"]);
    assert!(!is_there(&server, "b"));
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert_same!(jobs(&server), ["plan-check", "plan-migrate"]);
    assert!(is_there(&server, "b"));
    let states: Vec<_> = server
        .status
        .jobs
        .iter()
        .map(|job| (job.run, job.state))
        .collect();
    assert_eq!(states, [(1, JobState::Succeeded); 2]);
    let job = &server.objects[&only_job(&server)];
    assert_eq!(
        job["spec"]["template"]["spec"]["serviceAccountName"],
        "installer"
    );
    assert_eq!(job["metadata"]["ownerReferences"][0]["uid"], "u-plan");
}

#[test]
fn stage_with_only_jobs_runs_before_the_next_stage() {
    let mut spec = spec(&[("migrate", 0)]);
    spec["stages"][0]["resources"] = json!([]);
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    while jobs(&server).is_empty() {
        let before = server.writes;
        assert_eq!(shell.run(&mut server, Some(before + 1)), End::Stopped);
        assert!(!is_there(&server, "b"));
    }
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert!(is_there(&server, "b"));
    // A plan that contains only Jobs is valid.
    spec["stages"].as_array_mut().expect("stages").truncate(1);
    let mut server = Server::new();
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert_same!(jobs(&server), ["plan-migrate"]);
}

/// After the controller has observed that the Job has ended, the Job may be deleted by its TTL or
/// by a user. It does not run again.
#[test]
fn succeeded_job_never_runs_again() {
    let spec = spec(&[("migrate", 0)]);
    let mut server = Server::new();
    run(&spec, &mut server);
    server.objects.remove(&only_job(&server));
    let writes = server.writes;
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert_eq!((server.writes, jobs(&server).len()), (writes, 0));
}

#[test]
fn failed_job_fails_the_plan_and_stops_later_stages() {
    let spec = spec(&[("migrate", 0)]);
    let mut server = Server::new();
    server.failing = 1;
    let said = run(&spec, &mut server);
    let name = only_job(&server).to_string();
    let failed = "has failed: out of steam; change the value of the annotation \
                  plans.portolan.dev/retry to run the Job again";
    assert_eq!(server.status.phase, Some(Phase::Failed));
    assert_same!(
        said[3..],
        [
            format!("Applied False JobFailed stage 1 of 2 (first): {name} {failed}"),
            "Ready False Waiting waiting until the plan is applied".to_owned(),
            format!("- first[0] {name} Failed: {failed}"),
        ]
    );
    assert!(!is_there(&server, "b"));
    let writes = server.writes;
    run(&spec, &mut server);
    assert_eq!(server.writes, writes);

    server.retry = Some("1".to_owned());
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert_eq!(
        jobs(&server).len(),
        2,
        "the failed one is still to be looked at"
    );
}

/// The Job runs again after a delay. Until then, the status reports the failure.
#[test]
fn failed_job_is_retried_up_to_its_limit() {
    let spec = spec(&[("migrate", 2)]);
    let mut server = Server::new();
    server.failing = 2;
    let mut shell = Shell::new(&spec, &server);
    for (failures, seconds) in [(1, 10), (2, 20)] {
        shell.run(&mut server, None);
        assert_eq!(server.status.phase, Some(Phase::Failed));
        assert_eq!(server.status.jobs[0].failures, failures);
        let until = shell.decide(&server).until.expect("a time");
        assert_eq!((until - server.now).get_seconds(), seconds);
        server.later(seconds);
    }
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert_eq!(jobs(&server).len(), 3);
}

#[test]
fn deleted_job_counts_as_failed() {
    let spec = spec(&[("migrate", 1)]);
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    while server
        .status
        .jobs
        .first()
        .is_none_or(|job| job.uid.is_none())
    {
        let before = server.writes;
        shell.run(&mut server, Some(before + 1));
    }
    server.objects.remove(&only_job(&server));
    shell.run(&mut server, None);
    assert_eq!(
        server.status.jobs[0].message,
        "another client deleted the Job before it finished"
    );
    server.later(10);
    assert_eq!(run(&spec, &mut server)[0], "Ready");
}

#[test]
fn suspended_plan_runs_no_jobs() {
    let mut spec = spec(&[("migrate", 0)]);
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    while !is_there(&server, "a") {
        let before = server.writes;
        shell.run(&mut server, Some(before + 1));
    }
    spec["suspend"] = json!(true);
    assert_eq!(run(&spec, &mut server)[0], "Suspended");
    assert_eq!(jobs(&server).len(), 0);
    spec["suspend"] = json!(false);
    assert_eq!(run(&spec, &mut server)[0], "Ready");
}

#[test]
fn refused_job_is_reported_before_any_write() {
    let spec = spec(&[("migrate", 0)]);
    let mut server = Server::new();
    let shell = Shell::new(&spec, &server);
    server.refuses = [shell.job(0, 1)].into();
    let said = run(&spec, &mut server);
    assert_eq!(
        said[1],
        "Valid False DryRunRejected spec.stages[0].jobs[0] is refused: no such ship"
    );
    assert_eq!(server.objects.len(), 0);
}

/// The controller may stop at any write. The next process does not run the Job a second time.
#[test]
fn job_runs_once_even_if_its_controller_is_killed() {
    let spec = spec(&[("migrate", 0), ("check", 0)]);
    for at in 1.. {
        let mut server = Server::new();
        if Shell::new(&spec, &server).run(&mut server, Some(at)) == End::Rest {
            assert!(at > 10, "{at}");
            break;
        }
        run(&spec, &mut server);
        assert_same!(jobs(&server), ["plan-check", "plan-migrate"]);
        assert_same!(describe(&server.status)[0], "Ready");
    }
}

#[rstest]
#[case::valid_template(json!({}), "has no template.spec.template.spec; write the Pod to run")]
#[case::ttl(
    json!({"spec": {"ttlSecondsAfterFinished": 0, "template": {"spec": {}}}}),
    "has template.spec.ttlSecondsAfterFinished, which may delete the Job before its result is \
     read; remove this field, because the Job is deleted with the plan",
)]
#[case::another_account(
    json!({"spec": {"template": {"spec": {"serviceAccountName": "root"}}}}),
    "runs as the ServiceAccount root, but the plan runs as installer; remove serviceAccountName",
)]
#[case::name(
    json!({"metadata": {"name": "a"}, "spec": {"template": {"spec": {}}}}),
    "has name in template.metadata; remove it",
)]
#[case::kind(
    json!({"kind": "Job", "spec": {"template": {"spec": {}}}}),
    "has kind in template; remove it",
)]
fn job_template_must_not_set_other_fields(#[case] template: Value, #[case] sentence: &str) {
    let mut first = stage("first", &[config_map("a")]);
    first["jobs"] = json!([{"name": "migrate", "template": template}]);
    let told = faults_of(&json!({"stages": [first]}));
    assert_same!(told, [format!("spec.stages[0].jobs[0] {sentence}")]);
}

/// The status records the end of the Job before the next stage begins. The Job may be deleted
/// before the next process reads it.
#[test]
fn end_of_a_job_is_recorded_before_the_next_stage_begins() {
    let spec = spec(&[("migrate", 0)]);
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    while !is_there(&server, "b") {
        let before = server.writes;
        assert_eq!(shell.run(&mut server, Some(before + 1)), End::Stopped);
    }
    assert_eq!(server.status.jobs[0].state, JobState::Succeeded);
    // A user deletes the Job, and another process continues.
    server.objects.remove(&only_job(&server));
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert_same!(jobs(&server), Vec::<String>::new());
}

/// The Pod of a failed Job shows more details of the failure than the Job itself.
#[test]
fn failed_job_names_its_pod() {
    let spec = spec(&[("migrate", 0)]);
    let mut server = Server::new();
    server.failing = 1;
    let job = Shell::new(&spec, &server).job(0, 1);
    let mut before = server.clone();
    run(&spec, &mut before);
    let owner = json!({
        "controller": true, "kind": "Job", "uid": before.objects[&job]["metadata"]["uid"],
    });
    let end = json!({"exitCode": 2, "message": "no wind"});
    server.pods.insert(job, vec![json!({
        "metadata": {"name": "p", "namespace": "harbor", "ownerReferences": [owner]},
        "status": {"phase": "Failed", "containerStatuses": [{"name": "main", "state": {"terminated": end}}]},
    })]);
    run(&spec, &mut server);
    assert_same!(
        server.status.jobs[0].message,
        "out of steam; Container main of Pod harbor/p has ended with exit code 2: no wind"
    );
}
