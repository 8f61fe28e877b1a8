//! Explains Pods that Kubernetes cannot start because of volumes, networks or missing objects.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_core_health::{self as health, Below, Item, Workload};
use portolan_core_olm::{Condition, Event, Pod};

use crate::command::{self, Target};
use crate::cure::Cure;
use crate::words::{self, sentence};
use crate::{Cause, Code, Evidence, Object, Procedure, Responsible, State, Step, evidence};

/// The reason of Events about a volume that cannot be attached to a node.
const NOT_ATTACHED: &str = "FailedAttachVolume";
/// The reasons of Events about a volume that the kubelet cannot mount.
const NOT_MOUNTED: [&str; 2] = ["FailedMount", "FailedMapVolume"];
/// The reason of Events about a Pod that has no network.
const NO_SANDBOX: &str = "FailedCreatePodSandBox";
/// The reason in a Pod condition if Kubernetes deletes the Pod because of a taint of its node.
/// Kubernetes adds such a taint to unreachable nodes.
const TAINTED: &str = "DeletionByTaintManager";

/// The taint of a node that is powered off.
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// A Pod whose volume cannot be attached.
#[derive(Debug, Clone, Copy)]
struct Unattached<'a> {
    deployment: &'a Workload,
    pod: &'a Item<Pod>,
    /// A Pod of the same Deployment on another node. This Pod may still use the volume.
    holder: Option<&'a Item<Pod>>,
}

/// Returns the cause if Kubernetes cannot attach a volume of the Pod.
pub(super) fn unattached(deployment: &Workload, fact: &health::Fact) -> Option<Cause> {
    let Below::Looked { pods, events, .. } = &deployment.below else {
        return None;
    };
    let pod = pods
        .objects
        .iter()
        .find(|pod| pod.observed == fact.observed)?;
    let is_about = |event: &&Item<Event>| is_about(event, pod) && event.reason == NOT_ATTACHED;
    let events = events.objects.iter().filter(is_about);
    let event = events.max_by_key(|event| event.last_seen())?;
    let others = pods.objects.iter().filter(|other| {
        let node = &other.spec.node_name;
        !node.is_empty() && *node != pod.spec.node_name
    });
    // A Pod in deletion is more likely to block the volume than other Pods.
    let holder = others.min_by_key(|other| (!other.is_deleting(), &other.observed));
    let unattached = Unattached {
        deployment,
        pod,
        holder,
    };
    Some(unattached.cause(event))
}

/// Returns the cure for a container that Kubernetes cannot create.
pub(super) fn cure(
    administrator: &str,
    deployment: Option<&Workload>,
    fact: &health::Fact,
) -> Cure {
    let reasons = deployment.map_or_else(Vec::new, |it| reasons(it, fact));
    let has = |reason: &str| reasons.iter().any(|it| **it == *reason);
    if NOT_MOUNTED.iter().any(|reason| has(reason)) {
        return Cure::external(
            administrator,
            "Make the volume in the message mountable: if its Secret, ConfigMap or \
             PersistentVolumeClaim is missing, create this object. Otherwise, repair the storage \
             of the volume.",
        );
    }
    if has(NO_SANDBOX) {
        return Cure::external(
            "the administrator of the nodes",
            "Repair the network or the container runtime of the node.",
        );
    }
    Cure::external(
        administrator,
        "Create the objects that the container references.",
    )
}

/// Returns the reasons of the Events about a Pod that waits for its volumes or network. Empty if
/// the Pod waits for another reason, for example because a referenced object is missing.
fn reasons<'a>(deployment: &'a Workload, fact: &health::Fact) -> Vec<&'a str> {
    let Below::Looked { pods, events, .. } = &deployment.below else {
        return Vec::new();
    };
    let pod = pods
        .objects
        .iter()
        .find(|pod| pod.observed == fact.observed);
    let waits = |pod: &&Item<Pod>| {
        let mut containers = pod.containers();
        let waiting = containers.find_map(|one| one.status.state.waiting.as_ref());
        waiting.is_some_and(|waiting| {
            ["ContainerCreating", "PodInitializing"].contains(&&*waiting.reason)
        })
    };
    let Some(pod) = pod.filter(waits) else {
        return Vec::new();
    };
    let about = events.objects.iter().filter(|event| is_about(event, pod));
    about.map(|event| event.reason.as_str()).collect()
}

fn is_about(event: &Event, pod: &Item<Pod>) -> bool {
    let about = &event.involved_object;
    about.kind == Pod::KIND && about.namespace == pod.namespace() && about.name == pod.name()
}

// === impl Unattached ===

impl Unattached<'_> {
    /// Returns the cause, with the Event about the volume.
    fn cause(self, event: &Event) -> Cause {
        let pod = &self.pod.observed.object;
        let repetition = event.repetition();
        let repetition = repetition.map_or_else(String::new, |it| format!(", {it}"));
        let reported = format!(
            "{pod} cannot start, because its volume cannot be attached ({NOT_ATTACHED}{repetition}): {}",
            event.message
        );
        let (at_fault, message) = match self.holder {
            Some(holder) => (
                Object::from(&holder.observed.object),
                format!("{} {}", sentence(&reported), Self::held(holder)),
            ),
            None => (
                Object::from(&self.deployment.observed.object),
                format!(
                    "{} It is unknown which Pod or node uses the volume of {pod}.",
                    sentence(&reported)
                ),
            ),
        };
        let cause = Cause::new(Code::VolumeNotAttached, State::Broken, at_fault, &message);
        let cause = cause.cured(self.cure()).shown(self.holder.map(node));
        let pods = [Some(self.pod), self.holder].into_iter().flatten();
        let mut cause = cause.shown(pods.flat_map(evidence::pod));
        if self.holder.is_some_and(|holder| holder.is_deleting()) {
            cause.responsible = self.responsible();
        }
        let tainted = self.holder.filter(|holder| is_tainted(holder));
        let back = tainted.map(|holder| in_service(&holder.spec.node_name));
        cause
            .looked(self.holder.map(|it| show_node(&it.spec.node_name)))
            .followed(back)
    }

    /// Describes the state of the Pod that uses the volume.
    fn held(holder: &Item<Pod>) -> String {
        let (pod, node) = (&holder.observed.object, &holder.spec.node_name);
        if is_tainted(holder) {
            let since = unready_since(holder).map_or_else(String::new, |since| {
                format!(
                    " This Pod has not been ready since {}, probably because the node is unreachable since then.",
                    words::time(since)
                )
            });
            format!(
                "{pod} still uses the volume. Kubernetes deletes this Pod because of a NoExecute \
                 taint of node {node}, and waits until the node confirms that the Pod has stopped. \
                 An unreachable node cannot confirm that the Pod has stopped.{since}"
            )
        } else if holder.is_deleting() {
            let since = unready_since(holder).map_or_else(String::new, |since| {
                format!(" The Pod has not been ready since {}.", words::time(since))
            });
            format!(
                "{pod} still uses the volume: the Pod is being deleted, but node {node} has not \
                 confirmed yet that the Pod has stopped.{since}"
            )
        } else {
            format!("{pod} runs on node {node} and uses the volume.")
        }
    }

    fn cure(self) -> Cure {
        match self.holder {
            Some(holder) if is_tainted(holder) => {
                Cure::Choice(vec![out_of_service(&holder.spec.node_name)])
            }
            Some(holder) if holder.is_deleting() => Cure::External(self.responsible()),
            Some(_) => Cure::external(
                "the publisher of the operator",
                "Set the strategy Recreate in the Deployment, or use a volume that several nodes \
                 can attach. The new Pod starts once the old Pod no longer exists.",
            ),
            None => Cure::external(
                "the administrator of the storage",
                "Find the node or Pod that uses the volume, and detach the volume there. `kubectl \
                 get volumeattachments` shows the nodes.",
            ),
        }
    }

    fn responsible(self) -> Responsible {
        let node = self.holder.map_or("", |holder| &*holder.spec.node_name);
        Responsible {
            who: format!("the administrator of node {node}"),
            action: "Start the node again. Or make sure that the node is powered off, and add the \
                 taint node.kubernetes.io/out-of-service to it. Kubernetes then detaches the \
                 volume, and the new Pod starts by itself."
                .to_owned(),
        }
    }
}

/// Returns the time since which a Pod has not been ready. Kubernetes also sets this condition if it
/// cannot reach the node.
fn unready_since(pod: &Item<Pod>) -> Option<&Time> {
    let said = Condition::about(&pod.status.conditions, "Ready");
    said.filter(|said| !said.is_true())?
        .last_transition_time
        .as_ref()
}

fn is_tainted(pod: &Item<Pod>) -> bool {
    let mut said = pod.status.conditions.iter();
    pod.is_deleting() && said.any(|said| said.reason == TAINTED)
}

fn show_node(node: &str) -> Step {
    let target = Target::new("nodes", "", node);
    Step::new(
        &format!("Show node {node} with its conditions"),
        target.describe(),
    )
}

fn node(pod: &Item<Pod>) -> Evidence {
    Evidence::new(&pod.observed.object, "spec.nodeName", &pod.spec.node_name)
}

/// Returns the command that removes the taint, so that Pods can run on the node again.
fn in_service(node: &str) -> Procedure {
    Procedure::command(
        &format!("When node {node} is repaired and runs again, remove the taint."),
        command::untaint(node, OUT_OF_SERVICE),
        "Kubernetes can start Pods on the node again.",
    )
}

/// Returns the command that marks a node as out of service. Kubernetes then removes the Pods of the
/// node and detaches their volumes.
fn out_of_service(node: &str) -> Procedure {
    let title = format!("Mark node {node} as out of service, after it was powered off.");
    let comment = format!("Remove the Pods of node {node}, and detach their volumes");
    let step = Step::new(
        &comment,
        command::taint(node, &format!("{OUT_OF_SERVICE}=nodeshutdown:NoExecute")),
    );
    let risk = format!(
        "Kubernetes removes all Pods of node {node} at once. If the node still runs, two Pods \
         write to the same volume and may destroy the data in the volume. Do not run this command \
         before the node is powered off."
    );
    Procedure::of(&title, vec![step], &risk)
}
