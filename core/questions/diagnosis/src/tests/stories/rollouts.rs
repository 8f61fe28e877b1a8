//! Workloads that fail, and the reasons.

use portolan_core_health::{Below, CsvPhase, Item};
use portolan_core_olm::Pod;

use super::stories;
use crate::tests::kit::*;

/// Returns an unavailable operator with one Pod.
fn outage(pod: Item<Pod>) -> Story {
    harbor().deployment("ferry", |one| down(one, vec![pod]))
}

/// Returns an operator whose Pods cannot be created for this reason.
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

stories! {
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
