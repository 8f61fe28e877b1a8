//! Scenarios with failing workloads.

use std::sync::Arc;

use portolan_core_health::{Below, CsvPhase, Item, Sight};
use portolan_core_olm::{Node, Pod, Taint};
use serde_json::json;

use super::stories;
use crate::tests::kit::*;

/// Returns a namespace whose operator is unavailable and has this Pod.
fn outage(pod: Item<Pod>) -> Story {
    harbor().deployment("ferry", |one| down(one, vec![pod]))
}

/// Returns a namespace in which the API server rejects the Pods of the operator with this message.
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

/// Returns a namespace in which a new Pod of the operator cannot start. An Event has this reason
/// and message. `change` changes another Pod of the same Deployment, on the node `lost`.
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

/// Returns a namespace in which the Pod of the new version fails, while the old version works.
fn late_upgrade(pod: Item<Pod>) -> Story {
    at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Failed, "InstallCheckFailed")
        .fails(
            "constraints not satisfiable: clusterserviceversion ferry.v1.0.0 exists and is not referenced by a \
             subscription, subscription ferry exists",
        )
        .deployment("ferry", |one| late(one, vec![pod]))
}

/// Returns a Pod that the scheduler cannot schedule. The Pod has these labels as its node selector.
fn unscheduled(message: &str, labels: &[(&str, &str)]) -> Item<Pod> {
    let mut pod = pod("ferry", |_| ());
    let labels = labels
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    pod.spec.node_selector = labels.collect();
    pod.status.conditions = vec![condition("PodScheduled", "False", "Unschedulable", message)];
    pod
}

/// Adds cordoned nodes with these labels to the cluster.
fn cordoned(story: Story, nodes: &[(&str, &[(&str, &str)])]) -> Story {
    let nodes = nodes.iter().map(|(name, labels)| {
        let mut node = Node::default();
        node.metadata.name = Some((*name).to_owned());
        for (label_name, value) in *labels {
            label(&mut node.metadata, label_name, value);
        }
        node.spec.unschedulable = true;
        node.spec.taints = vec![Taint {
            key: "node.kubernetes.io/unschedulable".to_owned(),
            time_added: deleted(),
        }];
        Arc::new(node)
    });
    let nodes: Vec<_> = nodes.collect();
    story.change(|all| all.around.cordoned.objects = nodes)
}

/// Sets a node selector in the settings of the Subscription.
fn pinned(story: Story) -> Story {
    story.subscriptions("ferry", |one| {
        set(one, "nodeSelector", json!({"pier.example/deep": "yes"}))
    })
}

const CORDONED: &str = "0/5 nodes are available: 1 node(s) had untolerated taint {ice: }, 2 node(s) were \
                        unschedulable, 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/5 nodes are \
                        available: 5 Preemption is not helpful for scheduling.";
const UNMATCHED: &str =
    "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";
const DEEP: &[(&str, &str)] = &[("pier.example/deep", "yes")];

/// Returns a namespace in which the API server has rejected the Deployment of the operator since
/// the first installation.
fn rejected(message: &str) -> Story {
    shore("ferry: 1.0.0")
        .with("ferry", "ferry.v1.0.0")
        .phase(
            "ferry.v1.0.0",
            CsvPhase::Pending,
            "NeedsReinstall",
            "installing: missing deployment with name=ferry",
        )
        .csv("ferry.v1.0.0", |csv| {
            runs(csv, "registry.example/ferry:1");
            refused_at(csv, message, &[60, 120]);
        })
        .change(|all| all.namespace.deployments.objects.clear())
}

const NO_LIMIT: &str = "admission webhook \"validate.kyverno.svc-fail\" denied the request: \n\nresource \
                        Deployment/demo/ferry was blocked due to the following policies \n\nlimited-cargo:\n  auto-cargo: \
                        'validation error: a memory limit is required. rule auto-cargo failed at path \
                        /spec/template/spec/containers/0/resources/limits/'\n";

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
        => ["ferry: Broken ContainerNotCreated Secret demo/chart"];
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
    }) => ["ferry: Broken CrashLooping Subscription demo/ferry"];
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
    deployment_was_scaled_to_zero_by_kube_downscaler: harbor().deployment("ferry", |one| {
        count(one, 0);
        let annotations = one.metadata.annotations.get_or_insert_default();
        annotations.insert("downscaler/original-replicas".to_owned(), "1".to_owned());
        annotations.insert("downscaler/uptime".to_owned(), "Mon-Fri 07:00-19:00 UTC".to_owned());
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
    upgrade_exceeds_its_memory_limit_and_the_old_version_works: late_upgrade({
        let mut pod = pod("ferry", exceeds_memory);
        pod.spec.containers = limited("manager", "64Mi");
        pod
    }) => ["ferry: Stuck CrashLooping Subscription demo/ferry"];
    upgrade_crashes_and_the_old_version_works: late_upgrade(pod("ferry", crashes))
        => ["ferry: Stuck CrashLooping Deployment demo/ferry"];
    one_of_two_pods_crashes: outage(pod("ferry", crashes)).deployment("ferry", |one| {
        count(one, 2);
        one.status.available_replicas = 1;
    }) => ["ferry: Stuck CrashLooping Deployment demo/ferry"];
    container_crashes_without_a_message: outage(pod("ferry", |container| {
        crashes(container);
        let ended = container.last_state.terminated.as_mut();
        ended.expect("an end").message.clear();
    })) => ["ferry: Broken CrashLooping Deployment demo/ferry"];
    crashed_version_has_a_successor_in_the_catalog: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .deployment("ferry", |one| down(one, vec![pod("ferry", crashes)]))
        .phase("ferry.v1.0.0", CsvPhase::Failed, "InstallCheckFailed", "install timeout")
        => ["ferry: Broken CrashLooping Deployment demo/ferry"];
    crashed_version_is_not_replaced_by_its_pending_successor: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Pending, "RequirementsNotMet")
        .deployment("ferry", |one| down(one, vec![pod("ferry", crashes)]))
        .phase("ferry.v1.0.0", CsvPhase::Failed, "InstallCheckFailed", "install timeout")
        => ["ferry: Broken CrashLooping Deployment demo/ferry"];
    subscription_selects_cordoned_nodes: pinned(outage(unscheduled(CORDONED, DEEP)))
        => ["ferry: Broken Unschedulable Node"];
    subscription_selects_no_node: pinned(outage(unscheduled(UNMATCHED, DEEP)))
        => ["ferry: Broken Unschedulable Subscription demo/ferry"];
    bundle_selects_no_node: outage(unscheduled(UNMATCHED, DEEP))
        => ["ferry: Broken Unschedulable Deployment demo/ferry"];
    only_cordoned_nodes_fit: outage(unscheduled(
        "0/1 nodes are available: 1 node(s) were unschedulable.", &[],
    )) => ["ferry: Broken Unschedulable Node"];
    cordoned_node_with_the_label_is_named:
        cordoned(pinned(outage(unscheduled(CORDONED, DEEP))), &[("lake-1", &[]), ("pier-3", DEEP)])
        => ["ferry: Broken Unschedulable Node pier-3"];
    cordoned_nodes_lack_the_label:
        cordoned(pinned(outage(unscheduled(CORDONED, DEEP))), &[("lake-1", &[]), ("lake-2", &[])])
        => ["ferry: Broken Unschedulable Subscription demo/ferry"];
    at_most_three_cordoned_nodes_are_named: cordoned(
        outage(unscheduled("0/5 nodes are available: 5 node(s) were unschedulable.", &[])),
        &[("a", &[]), ("b", &[]), ("c", &[]), ("d", &[]), ("e", &[])],
    ) => ["ferry: Broken Unschedulable Node a"];
    cordoned_node_may_have_room: cordoned(
        outage(unscheduled(
            "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient memory.", &[],
        )),
        &[("pier-3", &[])],
    ) => ["ferry: Broken Unschedulable Deployment demo/ferry"];
    cordoned_nodes_cannot_be_listed: outage(unscheduled(
        "0/1 nodes are available: 1 node(s) were unschedulable.", &[],
    )).change(|all| all.around.cordoned.sight = Sight::Dim("permission denied".to_owned()))
        => ["ferry: Broken Unschedulable Node"];
    claim_of_the_pod_is_missing: outage(unscheduled(
        "0/3 nodes are available: persistentvolumeclaim \"log\" not found.", &[],
    )) => ["ferry: Broken Unschedulable PersistentVolumeClaim demo/log"];
    volume_is_a_missing_config_map: unprepared(
        "FailedMount", "MountVolume.SetUp failed for volume \"tides\" : configmap \"tide-table\" not found",
        |old| old.metadata.deletion_timestamp = deleted(),
    ) => ["ferry: Broken ContainerNotCreated ConfigMap demo/tide-table"];
    service_account_of_the_pods_is_missing: refused(
        "pods \"ferry-1-\" is forbidden: error looking up service account demo/pilot: serviceaccount \"pilot\" not found",
    ) => ["ferry: Broken PodRejected ServiceAccount demo/pilot"];
    pull_secret_of_the_pod_is_missing: {
        let pod = pod("ferry", waiting("ImagePullBackOff", "Back-off pulling image \"a\": ErrImagePull: unauthorized"));
        let event = warning(
            &pod,
            "FailedToRetrieveImagePullSecret",
            "Unable to retrieve some image pull secrets (quay-pull); attempting to pull the image may not succeed.",
        );
        outage(pod).deployment("ferry", |one| {
            if let Below::Looked { events, .. } = &mut one.below {
                events.objects.push(event);
            }
        })
    } => ["ferry: Broken ImagePullFailing Secret demo/quay-pull"];
    policy_requires_limits_of_a_new_operator: rejected(NO_LIMIT)
        => ["ferry: Stuck DeploymentRejected Subscription demo/ferry"];
    policy_requires_limits_of_a_deleted_deployment: rejected(NO_LIMIT)
        .csv("ferry.v1.0.0", |csv| {
            let mut worked = csv.status.conditions[0].clone();
            worked.phase = CsvPhase::Succeeded;
            csv.status.conditions.insert(0, worked);
        })
        => ["ferry: Broken DeploymentRejected Subscription demo/ferry"];
    policy_of_the_cluster_rejects_the_deployment: rejected(
        "deployments.apps \"ferry\" is forbidden: ValidatingAdmissionPolicy 'papers' with binding 'all' denied request: \
         no papers",
    ) => ["ferry: Stuck DeploymentRejected ValidatingAdmissionPolicy papers"];
    webhook_for_deployments_cannot_be_called: rejected(
        "Internal error occurred: failed calling webhook \"customs.example\": failed to call webhook: Post \
         \"https://customs.hooks.svc:443/a\": no endpoints available",
    ) => ["ferry: Stuck DeploymentRejected Webhook customs.example"];
    quota_of_deployments_is_exceeded: rejected(
        "deployments.apps \"ferry\" is forbidden: exceeded quota: fleet, requested: count/deployments.apps=1, used: \
         count/deployments.apps=4, limited: count/deployments.apps=4",
    ) => ["ferry: Stuck DeploymentRejected ResourceQuota demo/fleet"];
    image_named_by_the_bundle_cannot_be_pulled: outage(pod("ferry", waiting("ErrImagePull", "not found")))
        .csv("ferry.v2.0.0", |csv| runs(csv, "registry.example/ferry:1"))
        => ["ferry: Broken ImagePullFailing Deployment demo/ferry"];
}
