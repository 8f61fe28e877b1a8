use portolan_core_olm::{ContainerState, Pod};

use crate::tests::kit::*;
use crate::*;

stories! { World;
    image_is_missing: waiting("ErrImagePull", "rpc error: code = NotFound desc = failed to pull and unpack image") => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No ImagePullFailing Pod demo/ferry-1-a: Image registry.example/ferry:1 for container manager of Pod demo/ferry-1-a cannot be pulled: rpc error: code = NotFound desc = failed to pull and unpack image
    "#;
    image_pull_is_backing_off: waiting("ImagePullBackOff", "Back-off pulling image \"registry.example/ferry:1\"").event("Failed", "Failed to pull image: not found", "2026-11-22T09:00:00Z") => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No ImagePullFailing Pod demo/ferry-1-a: Image registry.example/ferry:1 for container manager of Pod demo/ferry-1-a cannot be pulled: Failed to pull image: not found
    "#;
    image_pull_back_off_reports_the_same_as_the_pull: waiting("ImagePullBackOff", "Back-off pulling image \"registry.example/ferry:1\": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image") => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No ImagePullFailing Pod demo/ferry-1-a: Image registry.example/ferry:1 for container manager of Pod demo/ferry-1-a cannot be pulled: rpc error: code = NotFound desc = failed to pull and unpack image
    "#;
    registry_denies_the_image: waiting("ImagePullBackOff", "Back-off pulling image \"registry.example/ferry:1\"")
        .event("Failed", "Failed to pull image: 403 Forbidden", "2026-11-22T09:00:00Z")
        .event("Failed", "Error: ImagePullBackOff", "2026-11-22T09:00:09Z") => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No ImagePullFailing Pod demo/ferry-1-a: Image registry.example/ferry:1 for container manager of Pod demo/ferry-1-a cannot be pulled: Failed to pull image: 403 Forbidden
    "#;
    image_name_is_invalid: waiting("InvalidImageName", "couldn't parse image name") => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No ImagePullFailing Pod demo/ferry-1-a: Image registry.example/ferry:1 for container manager of Pod demo/ferry-1-a cannot be pulled: couldn't parse image name
    "#;
    crash_loop: waiting("CrashLoopBackOff", "back-off 5m0s restarting failed container").below(|_, pods, _| {
        pods[0].status.container_statuses[0].restart_count = 7;
        pods[0].status.container_statuses[0].last_state.terminated = terminated(137, "OOMKilled", "");
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops, the last time with exit code 137 (OOMKilled). [7 restarts]
    "#;
    crash_loop_while_the_container_runs: container(|one| {
        one.restart_count = 7;
        one.last_state.terminated = terminated(137, "OOMKilled", "");
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops, the last time with exit code 137 (OOMKilled). [7 restarts]
    "#;
    crash_loop_between_two_runs: container(|one| {
        one.state.running = None;
        one.restart_count = 7;
        one.state.terminated = terminated(137, "OOMKilled", "");
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops, the last time with exit code 137 (OOMKilled). [7 restarts]
    "#;
    crash_loop_with_a_termination_message: waiting("CrashLoopBackOff", "").below(|_, pods, _| {
        pods[0].status.container_statuses[0].last_state.terminated = terminated(1, "Error", "2026/11/22 09:00:00 starting\n2026/11/22 09:00:01 no such harbor\n");
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops, the last time with exit code 1: no such harbor
    "#;
    crash_loop_with_a_panic: waiting("CrashLoopBackOff", "").below(|_, pods, _| {
        pods[0].status.container_statuses[0].last_state.terminated = terminated(2, "Error", "starting\npanic: no chart\n\ngoroutine 1 [running]:\nmain.main()\n");
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops, the last time with exit code 2: panic: no chart
    "#;
    crash_loop_by_a_liveness_probe: waiting("CrashLoopBackOff", "").below(|_, pods, _| {
        pods[0].status.container_statuses[0].restart_count = 4;
        pods[0].status.container_statuses[0].last_state.terminated = terminated(0, "Completed", "bye");
    })
        .event("Unhealthy", "Liveness probe failed: Get \"http://10.0.0.9/healthz\": context deadline exceeded", "2026-11-22T09:00:00Z")
        .event("Unhealthy", "Readiness probe failed: connection refused", "2026-11-22T09:00:01Z") => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops, because its liveness probe fails: Get "http://10.0.0.9/healthz": context deadline exceeded [4 restarts]
    "#;
    liveness_probe_of_another_container_is_ignored: waiting("CrashLoopBackOff", "").below(|_, pods, events| {
        pods[0].status.container_statuses[0].restart_count = 4;
        pods[0].status.container_statuses[0].last_state.terminated = terminated(137, "Error", "");
        let mut other = event("ferry-1-a");
        other.reason = "Unhealthy".to_owned();
        other.message = "Liveness probe failed: EOF".to_owned();
        other.involved_object.field_path = "spec.containers{proxy}".to_owned();
        events.push(other);
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops, the last time with exit code 137. [4 restarts]
    "#;
    container_that_ends_by_itself_is_not_blamed_on_its_probe: waiting("CrashLoopBackOff", "").below(|_, pods, _| {
        pods[0].status.container_statuses[0].last_state.terminated = terminated(3, "Error", "");
    }).event("Unhealthy", "Liveness probe failed: EOF", "2026-11-22T09:00:00Z") => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops, the last time with exit code 3.
    "#;
    last_log_line_does_not_explain_a_kill_by_the_kernel: waiting("CrashLoopBackOff", "").below(|_, pods, _| {
        pods[0].status.container_statuses[0].last_state.terminated = terminated(137, "OOMKilled", "time=\"2026-11-22T09:00:00Z\" level=info msg=\"log level info\"\n");
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops, the last time with exit code 137 (OOMKilled).
    "#;
    timestamp_of_logrus_is_left_out: waiting("CrashLoopBackOff", "").below(|_, pods, _| {
        pods[0].status.container_statuses[0].last_state.terminated = terminated(1, "Error", "time=\"2026-11-22T09:00:00Z\" level=fatal msg=\"no harbor\"\n");
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops, the last time with exit code 1: level=fatal msg="no harbor"
    "#;
    timestamp_of_klog_is_left_out: waiting("CrashLoopBackOff", "").below(|_, pods, _| {
        pods[0].status.container_statuses[0].last_state.terminated = terminated(1, "Error", "E1122 09:00:00.218643 1 main.go:7] no harbor\n");
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops, the last time with exit code 1: 1 main.go:7] no harbor
    "#;
    crash_loop_without_details: waiting("CrashLoopBackOff", "") => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a crash-loops.
    "#;
    first_crash: container(|one| {
        one.state.running = None;
        one.state.terminated = terminated(1, "Error", "");
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - NotYet CrashLooping Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a has ended with exit code 1, and restarts.
    "#;
    init_container_crashes: container(|one| {
        set_waiting(one, "PodInitializing", "");
    }).below(|_, pods, _| {
        let mut first = pods[0].status.container_statuses[0].clone();
        first.name = "migrate".to_owned();
        first.restart_count = 2;
        first.state = ContainerState { terminated: terminated(1, "Error", ""), ..ContainerState::default() };
        pods[0].status.init_container_statuses = vec![first];
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No CrashLooping Pod demo/ferry-1-a: Container migrate of Pod demo/ferry-1-a crash-loops, the last time with exit code 1. [2 restarts]
    "#;
    secret_is_missing: waiting("CreateContainerConfigError", "secret \"pilot\" not found") => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No ContainerNotCreated Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a cannot be created (CreateContainerConfigError): secret "pilot" not found
    "#;
    volume_is_missing_in_a_rollout: waiting("ContainerCreating", "").event("FailedMount", "configmap \"chart\" not found", "2026-11-22T09:00:00Z") => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - NotYet ContainerNotCreated Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a cannot be created (FailedMount): configmap "chart" not found
    "#;
    volume_is_missing_in_an_outage: outage(|pod| {
        set_waiting(&mut pod.status.container_statuses[0], "ContainerCreating", "");
    }).event("FailedMount", "configmap \"chart\" not found", "2026-11-22T09:00:00Z") => r#"
        No Subscription demo/ferry
        No DeploymentUnavailable Deployment demo/ferry: Deployment demo/ferry has 0 of 1 replica available.
        - No ContainerNotCreated Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a cannot be created (FailedMount): configmap "chart" not found
    "#;
    pod_is_starting: waiting("ContainerCreating", "") => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - NotYet PodStarting Pod demo/ferry-1-a: Pod demo/ferry-1-a is starting.
    "#;
    pod_has_no_containers: rollout(|pod| pod.status.container_statuses.clear()) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - NotYet PodStarting Pod demo/ferry-1-a: Pod demo/ferry-1-a is starting.
    "#;
    pod_is_unschedulable_in_a_rollout: rollout(nowhere) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - NotYet Unschedulable Pod demo/ferry-1-a: No node can run Pod demo/ferry-1-a: 0/3 nodes are available: 3 Insufficient cpu.
    "#;
    pod_is_unschedulable_in_an_outage: outage(nowhere) => r#"
        No Subscription demo/ferry
        No DeploymentUnavailable Deployment demo/ferry: Deployment demo/ferry has 0 of 1 replica available.
        - No Unschedulable Pod demo/ferry-1-a: No node can run Pod demo/ferry-1-a: 0/3 nodes are available: 3 Insufficient cpu.
    "#;
    pod_is_not_ready_in_a_rollout: rollout(|_| ()) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - NotYet ContainerNotReady Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a runs but is not ready.
    "#;
    unready_pod_reports_its_newest_probe_failure: outage(|_| ())
        .event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 500", "2026-11-22T09:00:00Z")
        .event("Unhealthy", "Readiness probe failed: connection refused", "2026-11-22T09:00:00.5Z") => r#"
        No Subscription demo/ferry
        No DeploymentUnavailable Deployment demo/ferry: Deployment demo/ferry has 0 of 1 replica available.
        - No ContainerNotReady Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a runs but is not ready: Readiness probe failed: connection refused
    "#;
    warning_about_another_pod_is_ignored: outage(|_| ()).event("Unhealthy", "of one that is gone", "2026-11-22T09:00:00Z").below(|_, _, events| {
        events[0].involved_object.uid = "uid-of-another".to_owned();
    }) => r#"
        No Subscription demo/ferry
        No DeploymentUnavailable Deployment demo/ferry: Deployment demo/ferry has 0 of 1 replica available.
        - No ContainerNotReady Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a runs but is not ready.
    "#;
    pod_was_evicted: outage(|pod| {
        pod.status.phase = "Failed".to_owned();
        pod.status.reason = "Evicted".to_owned();
        pod.status.message = "The node was low on resource: memory.".to_owned();
    }) => r#"
        No Subscription demo/ferry
        No DeploymentUnavailable Deployment demo/ferry: Deployment demo/ferry has 0 of 1 replica available.
        - No PodFailed Pod demo/ferry-1-a: Pod demo/ferry-1-a has failed permanently (Evicted): The node was low on resource: memory.
    "#;
    pod_has_ended_without_an_error: outage(|pod| pod.status.phase = "Succeeded".to_owned()) => r#"
        No Subscription demo/ferry
        No DeploymentUnavailable Deployment demo/ferry: Deployment demo/ferry has 0 of 1 replica available.
        - No PodFailed Pod demo/ferry-1-a: Pod demo/ferry-1-a has ended without an error, and Kubernetes does not start it again.
    "#;
    pod_is_being_deleted: rollout(|pod| pod.metadata.deletion_timestamp = deleted()) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - NotYet PodTerminating Pod demo/ferry-1-a: Pod demo/ferry-1-a is being deleted.
    "#;
    several_pods_with_the_same_cause_are_one_fact: waiting("InvalidImageName", "").below(|_, pods, _| {
        let mut second = pods[0].clone();
        second.observed = observed(Kind::Pod, HOME, "ferry-1-b");
        pods.insert(0, second);
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No ImagePullFailing Pod demo/ferry-1-a: Image registry.example/ferry:1 for container manager of Pod demo/ferry-1-a cannot be pulled. [the same of 1 other Pod]
    "#;
    pod_of_an_older_replica_set_is_ignored: waiting("InvalidImageName", "").below(|sets, pods, _| {
        sets.push(replica_set("ferry-2", 2));
        let mut newer = pod("ferry-2-a");
        owned_by(&mut newer.metadata, "uid-ferry-2");
        pods.push(newer);
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - NotYet ContainerNotReady Pod demo/ferry-2-a: Container manager of Pod demo/ferry-2-a runs but is not ready.
    "#;
    pod_of_an_older_replica_set_counts_without_a_newer_one: waiting("InvalidImageName", "").below(|sets, _, _| {
        sets.push(replica_set("ferry-2", 2));
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No ImagePullFailing Pod demo/ferry-1-a: Image registry.example/ferry:1 for container manager of Pod demo/ferry-1-a cannot be pulled.
    "#;
    replica_set_exceeds_the_quota: rollout(|_| ()).below(|sets, pods, _| {
        pods.clear();
        sets[0].status.conditions = vec![condition("ReplicaFailure", "True", "FailedCreate", "pods is forbidden: exceeded quota: small")];
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No QuotaExceeded ReplicaSet demo/ferry-1: ReplicaSet demo/ferry-1 cannot create its Pods, because a quota is exhausted (FailedCreate): pods is forbidden: exceeded quota: small
    "#;
    pods_of_the_replica_set_are_rejected: rollout(|_| ()).below(|sets, pods, _| {
        pods.clear();
        sets[0].status.conditions = vec![condition("ReplicaFailure", "True", "FailedCreate", "pods is forbidden: violates PodSecurity")];
    }) => r#"
        No Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - No PodRejected ReplicaSet demo/ferry-1: ReplicaSet demo/ferry-1 cannot create its Pods, because the API server rejects them (FailedCreate): pods is forbidden: violates PodSecurity
    "#;
    hidden_objects_are_reported: rollout(|_| ()).deployment(|one| {
        let why = Sight::Dim("the API server has not answered".to_owned());
        one.below = Below::Looked {
            replica_sets: ObservedObjects { objects: Vec::new(), sight: why.clone() },
            pods: ObservedObjects { objects: vec![pod("ferry-1-a")], sight: why.clone() },
            events: ObservedObjects { objects: Vec::new(), sight: why },
        };
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 0 available.
        - NotYet ContainerNotReady Pod demo/ferry-1-a: Container manager of Pod demo/ferry-1-a runs but is not ready.
        - NotYet NotObserved ReplicaSet: ReplicaSets are not observed: the API server has not answered
        - NotYet NotObserved Pod: Pods are not observed: the API server has not answered
        - Yes NotObserved Deployment demo/ferry: Events about Deployment demo/ferry are not observed: the API server has not answered
    "#;
}

fn nowhere(pod: &mut Item<Pod>) {
    pod.status.phase = "Pending".to_owned();
    pod.status.container_statuses.clear();
    pod.status.conditions = vec![condition(
        "PodScheduled",
        "False",
        "Unschedulable",
        "0/3 nodes are available: 3 Insufficient cpu.",
    )];
}
