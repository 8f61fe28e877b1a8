//! Finds containers that need more memory than their memory limit.

use portolan_core_health::Item;
use portolan_core_names::text::counted;
use portolan_core_olm::{ContainerTerminated, Pod};
use serde_json::json;

use crate::command::{DEPLOYMENTS, Target};
use crate::cure::{Cure, administrator};
use crate::rollout::{Blame, Failing};
use crate::{Object, Procedure, Step};

/// A container that exceeds its memory limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limited<'a> {
    container: &'a str,
    limit: &'a str,
}

/// Returns the first container of a Pod that exceeds its memory limit. Returns None if no container
/// exceeds its limit, or if the limit is unknown.
pub(crate) fn limited(pod: &Item<Pod>) -> Option<Limited<'_>> {
    let mut containers = pod.containers();
    let own = containers.find(|one| is_exceeded(pod, &one.status.name))?;
    let container = own.status.name.as_str();
    Some(Limited {
        container,
        limit: pod.memory_limit(container)?,
    })
}

/// Returns true if Kubernetes ended the last run of a container because the container exceeded its
/// memory limit.
pub(crate) fn is_exceeded(pod: &Item<Pod>, container: &str) -> bool {
    let mut containers = pod.containers();
    let own = containers.find(|one| one.status.name == container);
    own.is_some_and(|one| {
        let states = [&one.status.state, &one.status.last_state];
        let mut ends = states
            .into_iter()
            .filter_map(|state| state.terminated.as_ref());
        ends.any(ContainerTerminated::exceeded_memory)
    })
}

/// Returns the procedure that doubles the memory limit of a container in a Deployment. Returns None
/// if the limit is unknown or cannot be doubled.
pub(crate) fn raised(deployment: &Object, pod: &Pod, container: &str) -> Option<Procedure> {
    let limit = pod.memory_limit(container)?;
    let doubled = doubled(limit)?;
    let title = format!(
        "Raise the memory limit of container {container} in {deployment} from {limit} to {doubled}."
    );
    let target = Target::new(DEPLOYMENTS, &deployment.namespace, &deployment.name);
    let comment = format!("Set the memory limit of container {container} to {doubled}");
    let step = Step::new(&comment, target.limit_memory(container, &doubled));
    let risk = "Kubernetes replaces the Pods, and a node must have enough free memory. The tool \
                that installed the Deployment may restore the old limit: raise the limit in this \
                tool, too.";
    Some(Procedure::of(&title, vec![step], risk))
}

// === impl Limited ===

impl Limited<'_> {
    /// Returns the action for the person who can raise the limit.
    pub(crate) fn action(self) -> String {
        let Self { container, limit } = self;
        format!(
            "Raise the memory limit of container {container}, which is {limit}. The container needs more, so \
             Kubernetes ends it."
        )
    }
}

/// Returns the object at fault if a container of an operator exceeds its memory limit. This is the
/// Subscription, because OLM reverts changes of the Deployment. Without a Subscription, this is the
/// Deployment.
pub(crate) fn blame(failing: Failing<'_>) -> Option<Blame> {
    let pod = failing.pod?;
    let limited = limited(pod)?;
    let Limited { container, limit } = limited;
    let mut containers = pod.containers();
    let own = containers.find(|one| one.status.name == container);
    let restarts = own.map_or(0, |one| one.status.restart_count);
    let message = format!(
        "Container {container} of {}{} needs more memory than its limit of {limit}, so Kubernetes ends it again and \
         again (OOMKilled, {}).{}",
        pod.observed.object,
        failing
            .version()
            .map_or_else(String::new, |csv| format!(" (version {csv})")),
        counted(restarts, "restart"),
        origin(failing)
    );
    let Some(subscription) = failing.target() else {
        let at_fault = Object::from(&failing.deployment.observed.object);
        let cure = Cure::external(&administrator(&at_fault), &limited.action());
        return Some(Blame::new(at_fault, &message, cure));
    };
    let at_fault = Object::new("Subscription", subscription.namespace, subscription.name);
    let action = format!(
        "Set a higher memory limit in spec.config.resources of the Subscription. Do not set it in the Deployment: OLM \
         reverts it.{}",
        failing
            .case
            .standing()
            .map_or_else(String::new, |csv| format!(
                " Do not delete {}: this version still works.",
                csv.observed.object
            ))
    );
    let raised = raised_by(failing, limit, subscription);
    let cure = Cure::advised(
        &administrator(&at_fault),
        &action,
        raised.into_iter().collect(),
    );
    Some(Blame::new(at_fault, &message, cure))
}

/// Returns a sentence about the object that sets the memory limit. Empty if the operator has no
/// Subscription.
fn origin(failing: Failing<'_>) -> &'static str {
    let Some(subscription) = failing.subscription() else {
        return "";
    };
    let config = subscription.spec.config.as_ref();
    let limit = config.and_then(|config| config.get("resources")?.get("limits")?.get("memory"));
    if limit.is_some() {
        " The Subscription sets this limit."
    } else {
        " The bundle sets this limit, and the Subscription does not change it."
    }
}

/// Returns the procedure that doubles the memory limit in the settings of a Subscription. OLM
/// copies these settings to the Deployments. Returns None if the limit cannot be doubled.
fn raised_by(failing: Failing<'_>, limit: &str, subscription: Target<'_>) -> Option<Procedure> {
    let doubled = doubled(limit)?;
    let patch = json!({"spec": {"config": {"resources": {"limits": {"memory": doubled}}}}});
    let title = format!(
        "Raise the memory limit from {limit} to {doubled} in spec.config of {}.",
        subscription.called()
    );
    let comment = format!(
        "Set the memory limit in {} to {doubled}",
        subscription.called()
    );
    let step = Step::new(&comment, subscription.merge(&patch));
    let steps = std::iter::once(step).chain(failing.restart()).collect();
    let risk = format!(
        "{doubled} is twice the old limit: choose more if this is not enough. OLM applies only these values, and \
         removes all other requests and limits of the containers of the operator. The Pods are replaced, and a node \
         must have this memory.{}",
        stays(failing)
    );
    Some(Procedure::of(&title, steps, &risk))
}

/// Returns a sentence about the older version that runs until the Pods are replaced. Empty if no
/// older version works.
fn stays(failing: Failing<'_>) -> String {
    let standing = failing.case.standing();
    standing.map_or_else(String::new, |csv| {
        format!(
            " The Pods of {} stay until the new Pods are ready.",
            csv.observed.object.name
        )
    })
}

/// Returns twice a Kubernetes quantity with an integer value. Returns None for other quantities.
fn doubled(amount: &str) -> Option<String> {
    let end = amount.find(|c: char| !c.is_ascii_digit());
    let (number, suffix) = amount.split_at(end.unwrap_or(amount.len()));
    let is_suffix = ["", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"].contains(&suffix);
    let number: u64 = number.parse().ok().filter(|_| is_suffix)?;
    Some(format!("{}{suffix}", number.checked_mul(2)?))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::binary("256Mi", Some("512Mi"))]
    #[case::decimal("1G", Some("2G"))]
    #[case::bytes("268435456", Some("536870912"))]
    #[case::fraction("1.5Gi", None)]
    #[case::thousandths("128974848000m", None)]
    #[case::command("1; rm x", None)]
    #[case::empty("", None)]
    fn doubles_whole_quantities(#[case] amount: &str, #[case] expected: Option<&str>) {
        assert_eq!(doubled(amount).as_deref(), expected);
    }
}
