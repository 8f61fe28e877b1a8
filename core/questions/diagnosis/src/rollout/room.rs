//! Explains Pods that do not fit on any node.

use portolan_core_names::text::listed;
use portolan_core_olm::messages::is_of_lacking_resource;
use portolan_core_olm::{Pod, ResourceRequests};

use super::quota;
use crate::words::sentence;
use crate::{Step, command};

/// A resource of nodes, such as memory.
struct Resource {
    /// The name of the resource in messages of the scheduler.
    name: &'static str,
    amount: fn(&ResourceRequests) -> &str,
}

const RESOURCES: [Resource; 2] = [
    Resource {
        name: "memory",
        amount: |requests| &requests.memory,
    },
    Resource {
        name: "cpu",
        amount: |requests| &requests.cpu,
    },
];

/// Returns the resources that nodes lack according to a message of the scheduler.
fn lacking(message: &str) -> impl Iterator<Item = &'static Resource> {
    RESOURCES
        .iter()
        .filter(move |resource| is_of_lacking_resource(message, resource.name))
}

/// Returns the message of the scheduler. Adds the amounts that the Pod requests of the lacking
/// resources.
pub(super) fn with_requests(message: &str, pod: Option<&Pod>) -> String {
    let requested = lacking(message).filter_map(|resource| requested(resource, pod?));
    let requested: Vec<_> = requested.collect();
    if requested.is_empty() {
        return message.to_owned();
    }
    format!(
        "{} The containers of the Pod request {}.",
        sentence(message),
        listed(requested)
    )
}

/// Formats the amount of a resource that the containers of a Pod request, such as `2Gi of memory`.
/// Returns None if the containers request nothing or an amount cannot be parsed.
fn requested(resource: &Resource, pod: &Pod) -> Option<String> {
    let containers = pod.spec.containers.iter();
    let amounts = containers.map(|one| (resource.amount)(&one.resources.requests));
    let sum = quota::sum(amounts.filter(|amount| !amount.is_empty()))?;
    (sum != "0").then(|| format!("{sum} of {}", resource.name))
}

/// Returns the command that shows the free resources of the nodes. Returns None if the message
/// reports no lacking resource.
pub(super) fn look(message: &str) -> Option<Step> {
    lacking(message).next()?;
    let comment = "Show for each node what it has, and what its Pods request";
    Some(Step::new(comment, command::describe_nodes()))
}
