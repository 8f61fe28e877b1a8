use std::sync::Arc;

use portolan_api::plan::InstallPlan;
use portolan_core_health::{Item, ObservedObjects, Sight};
use portolan_core_olm::{AnyDeployment, Event, Pod, ReplicaSet, read_value};
use rstest::rstest;
use serde_json::{Value, json};

use crate::own_plan::with_workloads;
use crate::running::{PodsBelow, RunningWorkload, Workloads};
use crate::{Cause, Diagnosis, Object, State};

/// Returns a plan with this phase and one condition. Its lineage is `u-1`.
pub(crate) fn plan(phase: &str, type_: &str, status: &str, reason: &str) -> InstallPlan {
    let plan = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {"name": "ferry-2", "namespace": "harbor", "generation": 1},
        "spec": {"serviceAccountName": "installer", "stages": []},
        "status": {
            "observedGeneration": 1, "phase": phase, "lineage": "u-1",
            "conditions": [{
                "type": type_, "status": status, "reason": reason, "message": "0 of 1 replicas are available",
                "lastTransitionTime": "2026-01-01T06:00:00Z",
            }],
        },
    });
    serde_json::from_value(plan).expect("a plan")
}

/// Returns a container that crash-loops.
pub(crate) fn crashing() -> Value {
    json!({
        "name": "main", "image": "ferry:2", "ready": false, "restartCount": 7,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 3, "reason": "Error", "message": "panic: no config"}},
    })
}

fn item<K: portolan_core_health::Judged + portolan_core_olm::FromJson>(object: Value) -> Item<K> {
    let (object, faults) = read_value::<K>(object).expect("an object");
    assert_eq!(faults, []);
    Item::from(Arc::new(object))
}

fn pod(owner: &str, container: &Value) -> Item<Pod> {
    item(json!({
        "metadata": {
            "name": "ferry-x", "namespace": "harbor", "uid": "pod",
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "a", "name": "a", "uid": owner, "controller": true}],
        },
        "status": {"phase": "Running", "containerStatuses": [container]},
    }))
}

/// Returns a workload of the plan with lineage `u-1`. Its only Pod has this container.
pub(crate) fn workload(kind: &'static str, container: &Value) -> Workloads {
    let is_deployment = kind == "Deployment.apps";
    let set = item::<ReplicaSet>(json!({
        "metadata": {"name": "ferry-1", "namespace": "harbor", "uid": "set"},
    }));
    let event = item::<Event>(json!({
        "metadata": {"name": "a", "namespace": "harbor"},
        "type": "Warning", "reason": "BackOff", "message": "Back-off restarting failed container",
        "involvedObject": {"kind": "Pod", "namespace": "harbor", "name": "ferry-x"},
    }));
    let owner = if is_deployment { "set" } else { "workload" };
    let below = PodsBelow {
        replica_sets: is_deployment
            .then_some(set)
            .into_iter()
            .collect::<Vec<_>>()
            .into(),
        pods: vec![pod(owner, container)].into(),
        events: vec![event].into(),
    };
    Workloads {
        all: vec![RunningWorkload {
            object: Object::new(kind, "harbor", "ferry"),
            uid: "workload".to_owned(),
            lineage: "u-1".to_owned(),
            below: Some(below),
            ..RunningWorkload::of(kind, &AnyDeployment::default())
        }],
        ..Workloads::default()
    }
}

fn root(diagnosis: &Diagnosis) -> &Cause {
    diagnosis.cause.as_ref().expect("a cause")
}

const CRASH: &str = "Container main of Pod harbor/ferry-x crash-loops, the last time with exit code \
                     3 (7 restarts).";

#[rstest]
#[case::applying(
    "Applying",
    "Applied",
    "False",
    "Applying",
    "The installation waits for a Pod."
)]
#[case::late(
    "Applying",
    "Applied",
    "False",
    "StageDeadlineExceeded",
    "The installation is stuck: a Pod does not run."
)]
#[case::at_rest(
    "Applied",
    "Ready",
    "False",
    "MembersFailed",
    "The objects of the plan are applied, but a Pod does not run."
)]
// The status does not report the failure yet.
#[case::unreported(
    "Ready",
    "Ready",
    "True",
    "AllReady",
    "The objects of the plan are applied, but a Pod does not run."
)]
fn crashing_pod_is_the_cause_of_a_plan(
    #[case] phase: &str,
    #[case] type_: &str,
    #[case] status: &str,
    #[case] reason: &str,
    #[case] beginning: &str,
    #[values("Deployment.apps", "StatefulSet.apps", "DaemonSet.apps")] kind: &'static str,
) {
    let plan = plan(phase, type_, status, reason);
    let diagnosis = with_workloads(&plan, &workload(kind, &crashing()));
    let cause = root(&diagnosis);
    assert_eq!(diagnosis.state, State::Broken);
    assert_eq!(cause.code.as_str(), "CrashLooping");
    assert_eq!(cause.message, format!("{beginning} {CRASH}"));
    let quote = &cause.quotes[0];
    assert_eq!(
        (&*quote.source, &*quote.text),
        ("container main", "panic: no config")
    );
    assert_eq!(cause.at_fault, Object::new(kind, "harbor", "ferry"));
    let commands: Vec<_> = cause
        .remedy
        .look
        .iter()
        .map(|it| it.action.text())
        .collect();
    assert_eq!(
        commands,
        ["kubectl logs pods/ferry-x -n harbor -c main --previous"]
    );
    let evidence = cause.evidence.iter();
    let evidence: Vec<_> = evidence.map(|it| (&*it.field, &*it.value)).collect();
    let container = "image ferry:2, waiting CrashLoopBackOff, exit code 3, 7 restarts";
    assert!(
        evidence.iter().any(|(_, value)| *value == container),
        "{evidence:?}"
    );
    assert!(
        evidence.contains(&("event BackOff", "Back-off restarting failed container")),
        "{evidence:?}"
    );
    assert_eq!(cause.responsible.who, "the author of the plan");
    let action = &cause.responsible.action;
    assert!(action.contains("the last log of the container"), "{action}");
}

#[rstest]
#[case::starting(json!({"name": "main", "ready": false, "state": {"waiting": {"reason": "ContainerCreating"}}}))]
#[case::not_ready_yet(json!({"name": "main", "ready": false, "state": {"running": {}}}))]
fn plan_in_progress_waits_for_a_starting_pod(#[case] container: Value) {
    let plan = plan("Applying", "Applied", "False", "Applying");
    let diagnosis = with_workloads(&plan, &workload("Deployment.apps", &container));
    assert_eq!(
        (diagnosis.state, root(&diagnosis).code.as_str()),
        (State::Working, "InProgress")
    );
}

#[rstest]
#[case::of_another_plan(|one: &mut RunningWorkload| one.lineage = "u-2".to_owned())]
#[case::ready(|one: &mut RunningWorkload| one.ready = 1)]
fn other_workloads_do_not_affect_a_plan(#[case] edit: fn(&mut RunningWorkload)) {
    let mut workloads = workload("Deployment.apps", &crashing());
    edit(&mut workloads.all[0]);
    let diagnosis = with_workloads(&plan("Ready", "Ready", "True", "AllReady"), &workloads);
    assert_eq!(
        (diagnosis.state, diagnosis.unknowns.len()),
        (State::Well, 0)
    );
}

#[rstest]
#[case::forbidden(
    |it: &mut Workloads| it.all[0].below = Some(PodsBelow {
        pods: ObservedObjects { objects: Vec::new(), sight: Sight::Dim("forbidden: no".to_owned()) },
        ..PodsBelow::default()
    }),
    "The Pods of Deployment.apps harbor/ferry cannot be read: forbidden: no."
)]
#[case::too_many(
    |it: &mut Workloads| it.all[0].below = None,
    "The Pods of Deployment.apps harbor/ferry were not read, because too many workloads have \
     failed."
)]
#[case::workloads_unread(
    |it: &mut Workloads| *it = Workloads { troubles: vec!["They cannot be read.".to_owned()], ..Workloads::default() },
    "They cannot be read."
)]
fn unread_pods_of_a_failing_plan_are_reported_as_unknown(
    #[case] edit: fn(&mut Workloads),
    #[case] unknown: &str,
) {
    let mut workloads = workload("Deployment.apps", &crashing());
    edit(&mut workloads);
    let failing = plan("Applied", "Ready", "False", "MembersFailed");
    let diagnosis = with_workloads(&failing, &workloads);
    assert_eq!(diagnosis.unknowns, [unknown]);
    assert_eq!(root(&diagnosis).code.as_str(), "MembersNotReady");
}

/// Returns a plan whose Job run has this state. Its condition `Applied` has this reason and
/// message.
fn plan_with_job(phase: &str, reason: &str, state: &str, message: &str) -> InstallPlan {
    let mut plan = plan(phase, "Applied", "False", reason);
    let status = plan.status.as_mut().expect("a status");
    status.conditions[0].message = message.to_owned();
    let job = json!({
        "stage": "all", "name": "migrate", "run": 1, "failures": 1, "job": "ferry-2-migrate-1",
        "uid": "job", "state": state,
    });
    status.jobs = vec![serde_json::from_value(job).expect("a Job")];
    plan
}

/// Returns the workloads of a plan with a Job run. The only Pod of the run has this phase and this
/// container.
fn job(plan: &InstallPlan, phase: &str, container: &Value) -> Workloads {
    let mut workloads = workload("Deployment.apps", &crashing());
    let status = plan.status.as_ref().expect("a status");
    let mut pod = (*pod("job", container)).clone();
    pod.status.phase = phase.to_owned();
    let mut run = RunningWorkload::of_job("harbor", &status.jobs[0]);
    let below = workloads.all[0].below.take().expect("Pods");
    run.below = Some(PodsBelow {
        replica_sets: ObservedObjects::default(),
        pods: vec![Item::from(Arc::new(pod))].into(),
        ..below
    });
    workloads.all = vec![run];
    workloads
}

/// Returns a container that has terminated with an error.
fn ended() -> Value {
    json!({
        "name": "main", "image": "ferry:2", "ready": false, "restartCount": 0,
        "state": {"terminated": {"exitCode": 3, "reason": "Error", "message": "no schema"}},
    })
}

const ENDED: &str = "Container main of Pod harbor/ferry-x has ended with exit code 3: no schema";

#[rstest]
#[case::named_by_the_status(&format!("stage 1 of 1 (all): Job failed; {ENDED}"))]
#[case::unknown_in_the_status("stage 1 of 1 (all): Job failed")]
fn failed_job_names_its_container(#[case] said: &str) {
    let plan = plan_with_job("Failed", "JobFailed", "Failed", said);
    let diagnosis = with_workloads(&plan, &job(&plan, "Failed", &ended()));
    let cause = root(&diagnosis);
    assert_eq!(
        (diagnosis.state, cause.code.as_str()),
        (State::Stuck, "JobFailed")
    );
    assert_eq!(cause.message.matches(ENDED).count(), 1, "{}", cause.message);
    let look = cause.remedy.look.iter().map(|it| it.action.text());
    assert_eq!(
        look.collect::<Vec<_>>(),
        ["kubectl logs pods/ferry-x -n harbor -c main"]
    );
    let evidence: Vec<_> = cause.evidence.iter().map(|it| &*it.value).collect();
    assert!(
        evidence.contains(&"Back-off restarting failed container"),
        "{evidence:?}"
    );
    assert!(
        evidence.iter().any(|it| it.contains("exit code 3")),
        "{evidence:?}"
    );
    assert_eq!(diagnosis.unknowns, [""; 0]);
}

#[test]
fn unread_pods_of_a_failed_job_are_reported_as_unknown() {
    let plan = plan_with_job("Failed", "JobFailed", "Failed", "it failed");
    let mut workloads = job(&plan, "Failed", &ended());
    let below = workloads.all[0].below.as_mut().expect("Pods");
    below.pods = ObservedObjects {
        objects: Vec::new(),
        sight: Sight::Dim("forbidden: no".to_owned()),
    };
    let diagnosis = with_workloads(&plan, &workloads);
    let unread = "The Pods of Job.batch harbor/ferry-2-migrate-1 cannot be read: forbidden: no.";
    assert_eq!(diagnosis.unknowns, [unread]);
}

#[rstest]
#[case::image(
    "Pending",
    json!({"name": "main", "image": "ferry:2", "state": {"waiting": {"reason": "ErrImagePull", "message": "not found"}}}),
    "ImagePullFailing",
    "kubectl describe pods/ferry-x -n harbor"
)]
#[case::crash(
    "Running",
    crashing(),
    "CrashLooping",
    "kubectl logs pods/ferry-x -n harbor -c main --previous"
)]
#[case::end(
    "Failed",
    ended(),
    "PodFailed",
    "kubectl describe pods/ferry-x -n harbor"
)]
fn running_job_names_its_failing_pod(
    #[case] phase: &str,
    #[case] container: Value,
    #[case] code: &str,
    #[case] look: &str,
) {
    let plan = plan_with_job("Applying", "StageDeadlineExceeded", "Running", "it is late");
    let diagnosis = with_workloads(&plan, &job(&plan, phase, &container));
    let cause = root(&diagnosis);
    assert_eq!(
        (diagnosis.state, cause.code.as_str()),
        (State::Broken, code)
    );
    assert_eq!(
        cause.at_fault,
        Object::new("Job.batch", "harbor", "ferry-2-migrate-1")
    );
    assert!(
        cause
            .message
            .starts_with("The installation is stuck: a Pod does not run. ")
    );
    let looks: Vec<_> = cause
        .remedy
        .look
        .iter()
        .map(|it| it.action.text())
        .collect();
    assert_eq!(looks, [look]);
    // The remedy must not delete the Pod, because Kubernetes does not replace a Pod of a Job.
    assert!(!cause.remedy.is_actionable(), "{:?}", cause.remedy);
}

/// Kubernetes starts other Pods until the Job reaches its retry limit.
#[test]
fn job_that_retries_is_in_progress() {
    let plan = plan_with_job("Applying", "Applying", "Running", "it runs");
    let diagnosis = with_workloads(&plan, &job(&plan, "Failed", &ended()));
    assert_eq!(
        (diagnosis.state, root(&diagnosis).code.as_str()),
        (State::Working, "InProgress")
    );
}

/// The kubelet names the missing object in its message.
#[rstest]
#[case::missing_object(
    "configmap \"chart\" not found",
    "ConfigMap harbor/chart does not exist.",
    "Create ConfigMap harbor/chart with the content that the Pod needs. Kubernetes then starts the Pod by itself."
)]
#[case::missing_key(
    "couldn't find key tide in ConfigMap harbor/chart",
    "ConfigMap harbor/chart lacks a key.",
    "Add key tide to ConfigMap harbor/chart. Kubernetes then starts the container by itself."
)]
fn object_that_a_container_lacks_is_at_fault(
    #[case] waiting: &str,
    #[case] problem: &str,
    #[case] action: &str,
) {
    let container = json!({
        "name": "main", "image": "ferry:2", "ready": false,
        "state": {"waiting": {"reason": "CreateContainerConfigError", "message": waiting}},
    });
    let plan = plan("Applied", "Ready", "False", "MembersFailed");
    let diagnosis = with_workloads(&plan, &workload("Deployment.apps", &container));
    let cause = root(&diagnosis);
    assert_eq!(cause.at_fault, Object::new("ConfigMap", "harbor", "chart"));
    assert_eq!(cause.is_at_fault_missing(), problem.contains("exist"));
    assert!(cause.message.contains(problem), "{}", cause.message);
    assert_eq!(cause.responsible.action, action);
}
