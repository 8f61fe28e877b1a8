//! Scenarios with failing workloads.

use portolan_core_health::{Below, CsvPhase, Item};
use portolan_core_olm::Pod;

use super::stories;
use crate::tests::kit::*;

/// Returns an unavailable operator with one Pod.
fn outage(pod: Item<Pod>) -> Story {
    harbor().deployment("ferry", |one| down(one, vec![pod]))
}

/// Returns an operator whose Pods the API server rejects for this reason.
fn refused(message: &str) -> Story {
    harbor().deployment("ferry", |one| {
        down(one, Vec::new());
        one.status.conditions[1] = condition("ReplicaFailure", "True", "FailedCreate", message);
        if let Below::Looked { replica_sets, .. } = &mut one.below {
            let said = condition("ReplicaFailure", "True", "FailedCreate", message);
            replica_sets.objects[0].status.conditions.push(said);
        }
    })
}

fn quota(rest: &str) -> Story {
    refused(&format!(
        "pods \"ferry-1-a\" is forbidden: exceeded quota: tight, requested: {rest}"
    ))
}

/// Returns an operator whose new Pod cannot start because of the problem in this Event. Another Pod
/// of the Deployment runs on the node `lost`.
fn unprepared(reason: &str, message: &str, change: impl FnOnce(&mut Item<Pod>)) -> Story {
    let mut new = pod("ferry", waiting("ContainerCreating", ""));
    "near".clone_into(&mut new.spec.node_name);
    let mut old = pod("ferry", |_| ());
    "ferry-1-old".clone_into(&mut old.observed.object.name);
    "uid-old".clone_into(&mut old.observed.uid);
    "lost".clone_into(&mut old.spec.node_name);
    change(&mut old);
    let mut event = warning(&new, reason, message);
    event.count = Some(14);
    event.first_timestamp = Some("2026-01-01T02:10:00Z".to_owned());
    outage(new).deployment("ferry", |one| {
        if let Below::Looked { pods, events, .. } = &mut one.below {
            pods.objects.push(old);
            events.objects.push(event);
        }
    })
}

const MULTI: &str =
    "Multi-Attach error for volume \"pvc-1\" Volume is already used by pod(s) ferry-1-old";

stories! {
    volume_is_held_by_a_pod_on_a_lost_node: unprepared("FailedAttachVolume", MULTI, |old| {
        old.metadata.deletion_timestamp = deleted();
        let said = condition("DisruptionTarget", "True", "DeletionByTaintManager", "");
        old.status.conditions.push(said);
        let mut ready = old.status.conditions.iter_mut().filter(|said| said.r#type == "Ready");
        ready.next().expect("a condition").last_transition_time = deleted();
    }) => ["ferry: Broken VolumeNotAttached Pod demo/ferry-1-old"];
    volume_is_held_by_a_pod_that_is_being_deleted: unprepared("FailedAttachVolume", MULTI, |old| {
        old.metadata.deletion_timestamp = deleted();
    }) => ["ferry: Broken VolumeNotAttached Pod demo/ferry-1-old"];
    volume_is_held_by_an_unknown_pod: unprepared("FailedAttachVolume", "attach failed", |old| {
        old.spec.node_name.clear();
        old.metadata.deletion_timestamp = deleted();
    }) => ["ferry: Broken VolumeNotAttached Deployment demo/ferry"];
    volume_cannot_be_mounted: unprepared("FailedMount", "mount failed: exit status 32", |old| {
        old.metadata.deletion_timestamp = deleted();
    }) => ["ferry: Broken ContainerNotCreated Deployment demo/ferry"];
    quota_requires_limits: refused(
        "pods \"ferry-1-a\" is forbidden: failed quota: tight: must specify limits.cpu for: manager; \
         limits.memory for: manager",
    ) => ["ferry: Broken PodRejected ResourceQuota demo/tight"];
    deployment_is_reset_again_and_again: harbor()
        .phase("ferry.v2.0.0", CsvPhase::InstallReady, "ComponentUnhealthy", "installing: deployment changed old hash=a, new hash=b")
        .csv("ferry.v2.0.0", |csv| reset_at(csv, &[60, 120, 180]))
        .deployment("ferry", |one| claimed_by_argo(one, "ferry.v1.0.0", "ferry.v2.0.0"))
        => ["ferry: Stuck DeploymentContested Application.argoproj.io edge"];
    deployment_is_reset_but_rests_now: harbor()
        .csv("ferry.v2.0.0", |csv| reset_at(csv, &[60, 120, 180]))
        => ["ferry: Well"];
    deployment_was_changed_by_hand_three_times: harbor()
        .phase("ferry.v2.0.0", CsvPhase::InstallReady, "ComponentUnhealthy", "installing: deployment changed old hash=a, new hash=b")
        .csv("ferry.v2.0.0", |csv| reset_at(csv, &[60, 90_000, 180_000]))
        => ["ferry: Working InProgress ClusterServiceVersion demo/ferry.v2.0.0"];
    image_cannot_be_pulled: outage(pod("ferry", waiting("ErrImagePull", "not found")))
        => ["ferry: Broken ImagePullFailing Deployment demo/ferry"];
    container_crashes: outage(pod("ferry", crashes))
        => ["ferry: Broken CrashLooping Deployment demo/ferry"];
    container_crashes_and_csv_failed: outage(pod("ferry", crashes))
        .phase(
            "ferry.v2.0.0",
            portolan_core_health::CsvPhase::Failed,
            "InstallCheckFailed",
            "install timeout",
        )
        => ["ferry: Broken CrashLooping Deployment demo/ferry"];
    container_cannot_be_created:
        outage(pod("ferry", waiting("CreateContainerConfigError", "secret \"chart\" not found")))
        => ["ferry: Broken ContainerNotCreated Deployment demo/ferry"];
    pod_is_unschedulable: outage({
        let mut pod = pod("ferry", |_| ());
        pod.status.conditions = vec![condition(
            "PodScheduled",
            "False",
            "Unschedulable",
            "0/3 nodes are available: 3 Insufficient memory.",
        )];
        pod
    }) => ["ferry: Broken Unschedulable Deployment demo/ferry"];
    pod_requests_more_memory_than_is_free: outage({
        let mut pod = pod("ferry", |_| ());
        pod.spec.containers = requesting(&["5Gi", "1Gi"]);
        pod.status.conditions = vec![condition(
            "PodScheduled",
            "False",
            "Unschedulable",
            "0/3 nodes are available: 3 Insufficient memory.",
        )];
        pod
    }) => ["ferry: Broken Unschedulable Deployment demo/ferry"];
    container_exceeds_its_memory_limit: outage({
        let mut pod = pod("ferry", exceeds_memory);
        pod.spec.containers = limited("manager", "256Mi");
        pod
    }) => ["ferry: Broken CrashLooping Deployment demo/ferry"];
    webhook_for_pods_cannot_be_called: refused(
        "Internal error occurred: failed calling webhook \"customs.example\": failed to call webhook: Post \
         \"https://customs.hooks.svc:443/a\": no endpoints available",
    ) => ["ferry: Broken PodRejected Deployment demo/ferry"];
    quota_is_exceeded: quota("pods=1, used: pods=3, limited: pods=3")
        => ["ferry: Broken QuotaExceeded ResourceQuota demo/tight"];
    memory_quota_is_exceeded:
        quota("limits.memory=200Mi, used: limits.memory=1Gi, limited: limits.memory=1Gi")
        => ["ferry: Broken QuotaExceeded ResourceQuota demo/tight"];
    quota_message_has_an_unknown_format: refused("exceeded quota, somehow")
        => ["ferry: Broken QuotaExceeded Deployment demo/ferry"];
    webhook_rejects_the_pod:
        refused("admission webhook \"customs.example\" denied the request: no papers")
        => ["ferry: Broken PodRejected Deployment demo/ferry"];
    pod_was_evicted: outage({
        let mut pod = pod("ferry", |_| ());
        (pod.status.phase, pod.status.reason) = ("Failed".to_owned(), "Evicted".to_owned());
        pod.status.message = "The node was low on resource: memory.".to_owned();
        pod
    }) => ["ferry: Broken PodFailed Deployment demo/ferry"];
    probe_fails: outage(pod("ferry", |_| ()))
        => ["ferry: Broken ProbeFailing Deployment demo/ferry"];
    deployment_was_scaled_to_zero: harbor().deployment("ferry", |one| {
        count(one, 0);
    }) => ["ferry: Broken ScaledToZero Deployment demo/ferry"];
    deployment_was_paused: harbor().deployment("ferry", |one| one.spec.paused = true)
        => ["ferry: Waiting RolloutPaused Deployment demo/ferry"];
    deployment_was_deleted: harbor().change(|all| all.namespace.deployments.objects.clear())
        => ["ferry: Broken DeploymentMissing Deployment demo/ferry"];
    deployment_belongs_to_another_csv_during_reinstall: at("ferry: 2.0.0; tug: 1.0.0", "ferry.v2.0.0")
        .with("tug", "tug.v1.0.0")
        .phase("ferry.v2.0.0", CsvPhase::Pending, "NeedsReinstall", "")
        .deployment("ferry", |one| label(&mut one.metadata, "olm.owner", "tug.v1.0.0"))
        => ["ferry: Broken DeploymentOwnedByOther Deployment demo/ferry", "tug: Well"];
    deployment_belongs_to_another_csv: harbor().deployment("ferry", |one| label(&mut one.metadata, "olm.owner", "tug.v1"))
        => ["ferry: Broken DeploymentOwnedByOther Deployment demo/ferry"];
    deployment_is_unavailable_for_an_unknown_reason: outage(pod("ferry", |_| ())).deployment("ferry", |one| {
        one.below = Below::TooMany(64);
    }) => ["ferry: Broken RolloutFailing Deployment demo/ferry"];
    api_service_is_unavailable_because_its_server_crashes: outage(pod("ferry", crashes))
        .csv("ferry.v2.0.0", |csv| csv.spec.served.owned.push(served_api("v1.tides.example")))
        .change(|all| all.namespace.served.objects.push(served("v1.tides.example", false)))
        => ["ferry: Broken CrashLooping Deployment demo/ferry"];
    image_named_by_the_bundle_cannot_be_pulled: outage(pod("ferry", waiting("ErrImagePull", "not found")))
        .csv("ferry.v2.0.0", |csv| runs(csv, "registry.example/ferry:1"))
        => ["ferry: Broken ImagePullFailing Deployment demo/ferry"];
}
