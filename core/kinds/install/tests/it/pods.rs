//! Tests of the messages about Pods that prevent workloads from becoming ready.

use portolan_api::plan::{FailingPod, LONGEST_LAST_WORDS, MemberStatus};
use portolan_core_install::PodsSeen;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{deployment, describe};
use crate::kit::{config_map, stage};
use crate::model::{End, Server, identity};
use crate::shell::Shell;

/// Returns a Pod of Deployment ferry whose container has this status.
fn pod(name: &str, phase: &str, container: Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name, "namespace": "harbor", "labels": {"pod-template-hash": "6f"},
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "ferry-6f", "uid": "u-6f",
                "controller": true,
            }],
        },
        "status": {"phase": phase, "containerStatuses": [container]},
    })
}

fn crashing(name: &str, message: &str) -> Value {
    let end = json!({"exitCode": 3, "reason": "Error", "message": message});
    let container = json!({
        "name": "main", "restartCount": 4, "lastState": {"terminated": end},
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
    });
    pod(name, "Running", container)
}

fn running(name: &str) -> Value {
    pod(
        name,
        "Running",
        json!({"name": "main", "ready": true, "state": {"running": {}}}),
    )
}

fn spec() -> Value {
    json!({"stages": [stage("one", &[deployment("ferry")]), stage("two", &[config_map("a")])]})
}

/// Returns a plan that waits for a Deployment that never becomes ready.
fn waiting(pods: Vec<Value>) -> (Shell, Server) {
    let ferry = identity(&deployment("ferry"));
    let mut server = Server::new();
    server.stuck.insert(ferry.clone());
    server.pods.insert(ferry, pods);
    let mut shell = Shell::new(&spec(), &server);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    (shell, server)
}

fn member(server: &Server) -> &MemberStatus {
    &server.status.members[0]
}

const SENTENCE: &str =
    "Container main of Pod harbor/b crash-loops, the last time with exit code 3: no wind";

#[test]
fn crash_looping_pod_is_named_after_twenty_seconds() {
    let (mut shell, mut server) = waiting(vec![running("a"), crashing("b", "no wind")]);
    assert_eq!(server.pod_lists.get(), 0);
    assert_eq!(member(&server).pod, None);
    let since = server
        .status
        .stage
        .as_ref()
        .and_then(|stage| stage.since.clone());
    let after = |seconds| {
        since
            .clone()
            .map(|since| since.0 + jiff::SignedDuration::from_secs(seconds))
    };
    assert_eq!(shell.decide(&server).until, after(20));
    server.later(20);
    let decision = shell.decide(&server);
    assert_eq!(decision.until, after(40));
    assert_eq!(shell.run(&mut server, None), End::Rest);
    let start = "has 0 of 1 replicas created; ";
    assert_same!(member(&server).message, format!("{start}{SENTENCE}"));
    assert_same!(
        describe(&server.status)[3],
        format!(
            "Applied False Applying stage 1 of 2 (one): Deployment.apps harbor/ferry {start}{SENTENCE}"
        )
    );
    let wanted = FailingPod {
        name: "b".to_owned(),
        cause: "CrashLooping".to_owned(),
        container: "main".to_owned(),
        reason: "CrashLoopBackOff".to_owned(),
        exit_code: Some(3),
        message: "no wind".to_owned(),
    };
    assert_same!(member(&server).pod, Some(wanted));
    // The message disappears as soon as the Pod runs.
    server.pods.clear();
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_eq!(member(&server).pod, None);
}

#[test]
fn reason_why_pods_cannot_be_listed_is_reported() {
    for why in ["pods is forbidden: User \"it\"", "the server is busy"] {
        let (mut shell, mut server) = waiting(vec![crashing("b", "")]);
        server.hides_pods = Some(why.to_owned());
        server.later(20);
        assert_eq!(shell.run(&mut server, None), End::Rest);
        assert_same!(
            member(&server).message,
            format!(
                "has 0 of 1 replicas created; its Pods cannot be listed to find the cause: {why}"
            )
        );
    }
}

/// Any user who may create Pods in the namespace can give them the labels that the workload
/// selects.
#[test]
fn pod_of_another_owner_is_never_quoted() {
    let with = |pointer: &str, value: Value| {
        let mut pod = crashing("b", "the secret of another team");
        *pod.pointer_mut(pointer).expect("it") = value;
        pod
    };
    let foreign = vec![
        with("/metadata/ownerReferences", json!([])),
        with("/metadata/ownerReferences/0/controller", json!(false)),
        with("/metadata/ownerReferences/0/kind", json!("StatefulSet")),
        with(
            "/metadata/ownerReferences/0/apiVersion",
            json!("example.com/v1"),
        ),
        with("/metadata/ownerReferences/0/name", json!("other-6f")),
        with("/metadata/ownerReferences/0/name", json!("ferry-7a")),
        with("/metadata/labels", json!({})),
        with("/metadata/labels/pod-template-hash", json!("")),
    ];
    let (mut shell, mut server) = waiting(foreign);
    server.later(20);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_same!(member(&server).message, "has 0 of 1 replicas created");
    assert_eq!(member(&server).pod, None);
}

/// Long names of Deployments are truncated before the hash is added.
#[rstest]
#[case::longest_possible_name(250, true)]
#[case::shorter_than_the_limit(249, false)]
fn pod_of_a_deployment_with_a_long_name_is_found(#[case] length: usize, #[case] is_found: bool) {
    let mut pod = crashing("b", "");
    let cut = "f".repeat(length);
    pod["metadata"]["ownerReferences"][0]["name"] = json!(format!("{cut}-6f"));
    let mut workload = deployment("ferry");
    workload["metadata"]["name"] = json!("f".repeat(253));
    let seen = PodsSeen::of(&workload, vec![pod], Vec::new());
    assert_eq!(seen != PodsSeen::Judged(None), is_found);
}

/// The controller reference of these Pods names the workload directly.
#[rstest]
#[case("apps/v1", "DaemonSet")]
#[case("apps/v1", "ReplicaSet")]
#[case("apps/v1", "StatefulSet")]
#[case("batch/v1", "Job")]
fn pod_is_found_by_the_uid_of_its_controller(#[case] version: &str, #[case] kind: &str) {
    let workload = json!({"apiVersion": version, "kind": kind, "metadata": {"uid": "u-6f"}});
    let seen = |workload: &Value| PodsSeen::of(workload, vec![crashing("b", "")], Vec::new());
    assert_ne!(seen(&workload), PodsSeen::Judged(None));
    let unknown = json!({"apiVersion": version, "kind": kind, "metadata": {}});
    let another = json!({"apiVersion": version, "kind": kind, "metadata": {"uid": "u-7a"}});
    assert_eq!(
        [unknown, another].map(|it| seen(&it)),
        [const { PodsSeen::Judged(None) }; 2]
    );
}

/// The controller lists Pods only while the plan waits.
#[test]
fn ready_plan_lists_no_pods() {
    let mut server = Server::new();
    let mut shell = Shell::new(&spec(), &server);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    server.later(600);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_eq!(
        (server.pod_lists.get(), &*describe(&server.status)[0]),
        (0, "Ready")
    );
}

/// The workload fails after the plan was applied. The status still explains the failure.
#[test]
fn workload_that_fails_later_is_explained() {
    let mut server = Server::new();
    let mut shell = Shell::new(&spec(), &server);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    let ferry = identity(&deployment("ferry"));
    server.stuck.insert(ferry.clone());
    let object = server.objects.get_mut(&ferry).expect("it");
    object["status"]["availableReplicas"] = json!(0);
    object["metadata"]["resourceVersion"] = json!("later");
    server.pods.insert(ferry, vec![crashing("b", "no wind")]);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_eq!(server.pod_lists.get(), 0);
    server.later(20);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_same!(
        describe(&server.status)[4],
        format!(
            "Ready False MembersNotReady 1 object: Deployment.apps harbor/ferry \
             has 0 of 1 replicas available; {SENTENCE}"
        )
    );
}

#[test]
fn termination_message_is_bounded() {
    let PodsSeen::Judged(Some((pod, sentence))) = PodsSeen::of(
        &deployment("ferry"),
        vec![crashing("b", &"x".repeat(4_096))],
        Vec::new(),
    ) else {
        panic!("it must be named");
    };
    assert!(pod.message.chars().count() <= LONGEST_LAST_WORDS + 3);
    assert!(sentence.chars().count() < 1_000, "{sentence}");
}

/// Returns a Pod with one container in this state.
fn in_state(phase: &str, state: Value) -> Value {
    pod(
        "b",
        phase,
        json!({"name": "main", "image": "ferry:2", "state": state}),
    )
}

fn unscheduled() -> Value {
    let mut pod = pod("b", "Pending", json!({"name": "main"}));
    pod["status"]["conditions"] = json!([{
        "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": "0/3 nodes are available",
    }]);
    pod
}

#[rstest]
#[case::image_pull(
    in_state("Pending", json!({"waiting": {"reason": "ImagePullBackOff", "message": "not found"}})),
    "ImagePullFailing ImagePullBackOff None \
     Image ferry:2 for container main of Pod harbor/b cannot be pulled: not found"
)]
#[case::missing_config(
    in_state("Pending", json!({"waiting": {"reason": "CreateContainerConfigError", "message": "no secret"}})),
    "ContainerNotCreated CreateContainerConfigError None Container main of Pod harbor/b cannot be \
     created (CreateContainerConfigError): no secret"
)]
#[case::unschedulable(
    unscheduled(),
    "Unschedulable Unschedulable None No node can run Pod harbor/b: 0/3 nodes are available"
)]
#[case::failed_job(
    in_state("Failed", json!({"terminated": {"exitCode": 2, "reason": "Error", "message": "no wind"}})),
    "PodFailed Error Some(2) Container main of Pod harbor/b has ended with exit code 2: no wind"
)]
#[case::unready(
    in_state("Running", json!({"running": {}})),
    "ContainerNotReady  None Container main of Pod harbor/b runs but is not ready"
)]
fn cause_has_reason_and_exit_code(#[case] pod: Value, #[case] told: &str) {
    let PodsSeen::Judged(Some((pod, sentence))) =
        PodsSeen::of(&deployment("ferry"), vec![running("a"), pod], Vec::new())
    else {
        panic!("it must be named");
    };
    let FailingPod {
        cause,
        reason,
        exit_code,
        ..
    } = pod;
    assert_same!(format!("{cause} {reason} {exit_code:?} {sentence}"), told);
}

#[rstest]
#[case::running(running("b"))]
#[case::starting(in_state("Pending", json!({"waiting": {"reason": "ContainerCreating"}})))]
#[case::first_crash(in_state("Running", json!({"terminated": {"exitCode": 1}})))]
#[case::succeeded(in_state("Succeeded", json!({"terminated": {"exitCode": 0}})))]
fn running_or_starting_pod_is_no_cause(#[case] pod: Value) {
    let seen = PodsSeen::of(&deployment("ferry"), vec![pod], Vec::new());
    assert_eq!(seen, PodsSeen::Judged(None));
}

/// Returns a Pod of Deployment ferry that waits for its volumes, and a warning Event about this
/// Pod.
fn unmounted() -> (Value, Value) {
    let mut pod = in_state(
        "Pending",
        json!({"waiting": {"reason": "ContainerCreating"}}),
    );
    pod["metadata"]["uid"] = json!("u-b");
    let warning = json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "b.1", "namespace": "harbor"},
        "involvedObject": {"kind": "Pod", "namespace": "harbor", "name": "b", "uid": "u-b"},
        "type": "Warning", "reason": "FailedMount",
        "message": "MountVolume.SetUp failed for volume \"tides\" : secret \"tides\" not found",
    });
    (pod, warning)
}

#[test]
fn missing_secret_of_a_volume_is_named_from_an_event() {
    let (pod, warning) = unmounted();
    let ferry = deployment("ferry");
    let seen = PodsSeen::of(&ferry, vec![pod], vec![warning]);
    let PodsSeen::Judged(Some((pod, sentence))) = seen else {
        panic!("it must be named");
    };
    assert_same!(
        format!("{} {} {sentence}", pod.cause, pod.reason),
        "ContainerNotCreated FailedMount Container main of Pod harbor/b cannot be created \
         (FailedMount): MountVolume.SetUp failed for volume \"tides\" : secret \"tides\" not found"
    );
}

#[test]
fn events_are_read_only_for_pods_that_do_not_contain_the_reason() {
    let (pod, _) = unmounted();
    let ferry = deployment("ferry");
    let asked = |pods: &[Value]| PodsSeen::reported_in_events(&ferry, pods);
    assert_eq!(asked(&[running("a"), pod.clone()]).as_deref(), Some("u-b"));
    let unpullable = in_state(
        "Pending",
        json!({"waiting": {"reason": "ImagePullBackOff"}}),
    );
    assert_eq!(asked(&[running("a"), unpullable]), None);
    let mut foreign = pod;
    foreign["metadata"]["ownerReferences"] = json!([]);
    assert_eq!(asked(&[foreign]), None);
}
