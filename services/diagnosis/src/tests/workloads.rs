//! Tests with the Pods of InstallPlans.

use portolan_kit::World;
use portolan_proto::diagnosis::v1::diagnose_request::Kind;
use portolan_proto::diagnosis::v1::{DiagnoseRequest, OperatorDiagnosis};
use portolan_stage::Stage;
use portolan_world::{Files, State, Trouble};
use serde_json::{Value, json};

use super::{Asking, settled};
use crate::DiagnosisService;

fn owner(uid: &str) -> Value {
    json!([{"apiVersion": "apps/v1", "kind": "any", "name": "any", "uid": uid, "controller": true}])
}

fn object(kind: &str, name: &str, uid: &str, labels: &Value) -> Value {
    let metadata = json!({"name": name, "namespace": "harbor", "uid": uid, "labels": labels});
    let group = if kind == "Pod" { "v1" } else { "apps/v1" };
    json!({"apiVersion": group, "kind": kind, "metadata": metadata})
}

/// Returns an InstallPlan whose status reports no problem. It has a Deployment with a Pod that
/// crashes repeatedly.
fn crashing() -> World {
    let plan = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {"name": "ferry-1", "namespace": "harbor"},
        "spec": {"serviceAccountName": "installer", "stages": []},
        "status": {"observedGeneration": 1, "phase": "Ready", "lineage": "u-1"},
    });
    let mut deployment = object(
        "Deployment",
        "ferry",
        "deployment",
        &json!({"plans.portolan.dev/lineage": "u-1"}),
    );
    deployment["spec"] = json!({"replicas": 1, "selector": {"matchLabels": {"app": "ferry"}}});
    deployment["status"] = json!({"replicas": 1, "unavailableReplicas": 1});
    let app = json!({"app": "ferry"});
    let mut set = object("ReplicaSet", "ferry-1", "set", &app);
    set["metadata"]["ownerReferences"] = owner("deployment");
    let mut pod = object("Pod", "ferry-1-x", "pod", &app);
    pod["metadata"]["ownerReferences"] = owner("set");
    pod["status"] = json!({
        "phase": "Running",
        "containerStatuses": [{
            "name": "main", "image": "ferry:1", "ready": false, "restartCount": 7,
            "state": {"waiting": {"reason": "CrashLoopBackOff"}},
            "lastState": {"terminated": {"exitCode": 3, "reason": "Error", "message": "no config"}},
        }],
    });
    // The other Pod has the same labels, but another owner.
    let mut other = pod.clone();
    other["metadata"]["name"] = json!("other");
    other["metadata"]["uid"] = json!("other");
    other["metadata"]["ownerReferences"] = owner("another");
    other["status"]["containerStatuses"][0]["name"] = json!("other");
    let event = json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "a", "namespace": "harbor"},
        "type": "Warning", "reason": "BackOff", "message": "Back-off restarting",
        "involvedObject": {"kind": "Pod", "namespace": "harbor", "name": "ferry-1-x", "uid": "pod"},
    });
    [plan, deployment, set, pod, other, event]
        .into_iter()
        .fold(portolan_kit::world(), World::object)
}

fn of_plans() -> DiagnoseRequest {
    DiagnoseRequest {
        kind: Kind::InstallPlan.into(),
        ..DiagnoseRequest::default()
    }
}

async fn diagnosed(service: DiagnosisService) -> Vec<OperatorDiagnosis> {
    settled(&service).await;
    let mut stream = Asking::diagnosis(service, None)
        .send(of_plans())
        .await
        .expect("an answer");
    let mut all = Vec::new();
    while let Some(answer) = stream.message().await.expect("an answer") {
        all.extend(answer.diagnosis);
    }
    all
}

const CRASH: &str = "The objects of the plan are applied, but a Pod does not run. Container main of Pod \
                     harbor/ferry-1-x crash-loops, the last time with exit code 3 (7 restarts).";

#[tokio::test]
async fn crashing_pod_of_a_plan_is_found_in_a_cluster_and_in_files() {
    let stage = Stage::shared(&crashing());
    let live = diagnosed(DiagnosisService::of_own_objects(&stage, None)).await;
    let folder = crashing().temp();
    let files = Files::at(&folder);
    let dumped = diagnosed(DiagnosisService::of_own_objects(&files, None)).await;
    assert_eq!(live, dumped);
    let cause = live[0].cause.as_ref().expect("a cause");
    assert_eq!((&*cause.code, &*cause.message), ("CrashLooping", CRASH));
    assert_eq!(cause.quotes[0].text, "no config");
    let values: Vec<_> = cause.evidence.iter().map(|it| &*it.value).collect();
    assert!(values.contains(&"Back-off restarting"), "{values:?}");
    let logs = "kubectl logs pods/ferry-1-x -n harbor -c main --previous";
    let remedy = format!("{:?}", cause.remedy);
    assert!(remedy.contains(logs), "{remedy}");
}

/// Returns an InstallPlan with a failed Job, and the Pod of this Job.
fn failed_job() -> World {
    let job = json!({
        "stage": "all", "name": "migrate", "run": 1, "failures": 1, "job": "ferry-1-migrate-1",
        "uid": "job", "state": "Failed",
    });
    let said = json!({
        "type": "Applied", "status": "False", "reason": "JobFailed", "message": "it failed",
        "lastTransitionTime": "2026-01-01T06:00:00Z",
    });
    let plan = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {"name": "ferry-1", "namespace": "harbor"},
        "spec": {"serviceAccountName": "installer", "stages": []},
        "status": {"observedGeneration": 1, "phase": "Failed", "lineage": "u-1", "jobs": [job], "conditions": [said]},
    });
    let labels = json!({"batch.kubernetes.io/controller-uid": "job"});
    let mut pod = object("Pod", "ferry-1-migrate-1-x", "pod", &labels);
    pod["metadata"]["ownerReferences"] = owner("job");
    let end = json!({"exitCode": 3, "reason": "Error", "message": "no schema"});
    pod["status"] = json!({
        "phase": "Failed",
        "containerStatuses": [{"name": "main", "image": "ferry:1", "state": {"terminated": end}}],
    });
    [plan, pod]
        .into_iter()
        .fold(portolan_kit::world(), World::object)
}

#[tokio::test]
async fn failed_job_of_a_plan_is_found_in_a_cluster_and_in_files() {
    let stage = Stage::shared(&failed_job());
    let live = diagnosed(DiagnosisService::of_own_objects(&stage, None)).await;
    let folder = failed_job().temp();
    let files = Files::at(&folder);
    let dumped = diagnosed(DiagnosisService::of_own_objects(&files, None)).await;
    let cause = live[0].cause.as_ref().expect("a cause");
    let ended =
        "Container main of Pod harbor/ferry-1-migrate-1-x has ended with exit code 3: no schema.";
    assert!(cause.message.ends_with(ended), "{}", cause.message);
    assert_eq!(live[0].cause, dumped[0].cause);
}

#[tokio::test]
async fn pods_are_read_only_for_a_query_about_a_failing_workload() {
    let stage = Stage::shared(&crashing());
    let service = DiagnosisService::of_own_objects(&stage, None);
    let is_of_pods = |open: &String| {
        ["Pod", "ReplicaSet", "Event"]
            .iter()
            .any(|it| open.starts_with(it))
    };
    settled(&service).await;
    diagnosed(service.clone()).await;
    let open = stage.open();
    assert!(!open.iter().any(is_of_pods), "{open:?}");
}

#[tokio::test]
async fn unreadable_pods_of_a_failing_plan_are_reported_as_unknown() {
    let world = crashing().object(json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {"name": "ferry-2", "namespace": "harbor"},
        "spec": {"serviceAccountName": "installer", "stages": []},
        "status": {"observedGeneration": 1, "phase": "Applied", "lineage": "u-1"},
    }));
    let stage = Stage::shared(&world);
    stage.turn(
        "Pod",
        State::Unknown {
            trouble: Trouble::Forbidden("no".to_owned()),
            since: "2026-11-22T09:00:00Z".parse().expect("a time"),
        },
    );
    let all = diagnosed(DiagnosisService::of_own_objects(&stage, None)).await;
    let unknowns: Vec<_> = all.iter().map(|it| it.unknowns.join(" ")).collect();
    let unread = "The Pods of Deployment.apps harbor/ferry cannot be read: forbidden: no.";
    assert_eq!(unknowns, ["", unread]);
}

/// The Deployment has no owner. Its namespace is named only in a message of the status.
#[tokio::test]
async fn stopped_deployment_of_a_webhook_is_at_fault() {
    let said = json!({
        "type": "Applied", "status": "False", "reason": "StageDeadlineExceeded", "message": "late",
        "lastTransitionTime": "2026-01-01T06:00:00Z",
    });
    let message = "failed calling webhook \"a\": failed to call webhook: Post \"https://pilot.hooks.svc:443/\": EOF";
    let member = json!({
        "stage": "a", "index": 0, "object": "ConfigMap harbor/a", "state": "NotApplied",
        "message": message, "failingWebhook": "a",
    });
    let plan = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {"name": "ferry-2", "namespace": "harbor"},
        "spec": {"serviceAccountName": "installer", "stages": []},
        "status": {
            "observedGeneration": 1, "phase": "Applying", "conditions": [said], "members": [member],
        },
    });
    let mut deployment = object("Deployment", "pilot", "pilot", &json!({}));
    deployment["metadata"]["namespace"] = json!("hooks");
    deployment["spec"] = json!({"replicas": 1, "selector": {"matchLabels": {"app": "pilot"}}});
    deployment["status"] = json!({"replicas": 1, "unavailableReplicas": 1});
    let world = [plan, deployment]
        .into_iter()
        .fold(portolan_kit::world(), World::object);
    let stage = Stage::shared(&world);
    let live = diagnosed(DiagnosisService::of_own_objects(&stage, None)).await;
    let folder = world.temp();
    let files = Files::at(&folder);
    let dumped = diagnosed(DiagnosisService::of_own_objects(&files, None)).await;
    assert_eq!(live, dumped);
    let cause = live[0].cause.as_ref().expect("a cause");
    let at_fault = cause.at_fault.as_ref();
    let at_fault = at_fault.map(|it| (&*it.namespace, &*it.name));
    assert_eq!(at_fault, Some(("hooks", "pilot")), "{cause:?}");
}
