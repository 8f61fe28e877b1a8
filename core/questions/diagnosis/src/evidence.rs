//! Reads evidence from objects.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use portolan_core_health::{self as health, Below, Csv, Item, Workload};
use portolan_core_names::text::{cite, counted};
use portolan_core_olm::{Condition, Container, InstallPlan, Pod, Subscription};

use crate::{Evidence, Object};

impl Evidence {
    /// Returns the value of a field of an object.
    pub(crate) fn new(object: &health::Object, field: &str, value: &str) -> Self {
        Self::at(Object::from(object), field, value)
    }

    /// Returns the value of a field of an object. The object may have a kind that the health crate
    /// does not know.
    pub(crate) fn at(object: Object, field: &str, value: &str) -> Self {
        Self {
            object,
            field: field.to_owned(),
            value: cite(value),
        }
    }

    /// Returns a condition of an object of Portolan as evidence.
    pub(crate) fn reported(object: Object, said: &meta::Condition) -> Self {
        Self::of_condition(object, [&said.type_, &said.reason, &said.message])
    }

    /// Returns a condition as evidence. The value contains the reason and the message.
    pub(crate) fn of_condition(object: Object, [type_, reason, message]: [&str; 3]) -> Self {
        Self::at(
            object,
            &condition_field(type_),
            &format!("{reason}: {message}"),
        )
    }

    /// Returns the evidence that an object is missing.
    pub(crate) fn absent(object: Object) -> Self {
        Self::at(object, "", "not there")
    }
}

/// Returns the path of a condition in the status.
pub(crate) fn condition_field(type_: &str) -> String {
    format!("status.conditions[{type_}]")
}

/// Returns fields with their values as evidence. Omits fields whose value is empty.
fn rows(object: &health::Object, rows: &[(&str, &str)]) -> Vec<Evidence> {
    let written = rows.iter().filter(|(_, value)| !value.is_empty());
    written
        .map(|(field, value)| Evidence::new(object, field, value))
        .collect()
}

/// Returns the status of a ClusterServiceVersion as evidence.
pub(crate) fn csv(csv: &Csv) -> Vec<Evidence> {
    rows(
        &csv.observed.object,
        &[
            ("status.phase", csv.status.phase.as_str()),
            ("status.reason", &csv.status.reason),
            ("status.message", &csv.status.message),
        ],
    )
}

/// Returns the package, the channel and the catalog of a Subscription as evidence.
pub(crate) fn subscription(subscription: &Item<Subscription>) -> Vec<Evidence> {
    rows(
        &subscription.observed.object,
        &[
            ("spec.name", &subscription.spec.package),
            ("spec.channel", &subscription.spec.channel),
            ("spec.source", &subscription.spec.source),
            ("spec.sourceNamespace", &subscription.spec.source_namespace),
        ],
    )
}

/// Returns the conditions of this type on a Subscription as evidence.
pub(crate) fn condition_evidence(subscription: &Item<Subscription>, kind: &str) -> Vec<Evidence> {
    let said = subscription
        .status
        .conditions
        .iter()
        .filter(|said| said.r#type == kind);
    said.map(|said| condition(&subscription.observed.object, said))
        .collect()
}

/// Returns the progress of an InstallPlan as evidence.
pub(crate) fn plan(plan: &Item<InstallPlan>) -> Vec<Evidence> {
    rows(
        &plan.observed.object,
        &[
            ("status.phase", plan.status.phase.as_str()),
            (
                "spec.approved",
                if plan.spec.approved { "true" } else { "false" },
            ),
            ("status.message", &plan.status.message),
        ],
    )
}

/// Returns a condition of any object as evidence.
pub(crate) fn condition(object: &health::Object, said: &Condition) -> Evidence {
    let field = condition_field(&cite(&said.r#type));
    let words = [&*said.status, &said.reason, &said.message];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    Evidence::new(object, &field, &words.join(" "))
}

/// Returns evidence from a Deployment: its status, the conditions of its ReplicaSets, and the
/// problems of its Pods.
pub(crate) fn deployment(deployment: &Workload) -> Vec<Evidence> {
    let object = &deployment.observed.object;
    let replicas = format!(
        "{} of {}",
        deployment.status.available_replicas,
        deployment.replicas()
    );
    let mut evidence = vec![Evidence::new(object, "status.availableReplicas", &replicas)];
    let said = deployment.status.conditions.iter();
    evidence.extend(said.map(|said| condition(object, said)));
    if let Below::Looked {
        replica_sets, pods, ..
    } = &deployment.below
    {
        for set in &replica_sets.objects {
            let said = set.status.conditions.iter();
            evidence.extend(said.map(|said| condition(&set.observed.object, said)));
        }
        evidence.extend(pods.objects.iter().flat_map(pod));
    }
    evidence.sort();
    evidence
}

/// Returns evidence from a Pod: its conditions with status False, and its containers that are not
/// ready.
pub(crate) fn pod(pod: &Item<Pod>) -> Vec<Evidence> {
    let object = &pod.observed.object;
    let bad = pod.status.conditions.iter().filter(|said| said.is_false());
    let mut evidence: Vec<Evidence> = bad.map(|said| condition(object, said)).collect();
    let unready = pod.containers().filter(|one| !one.status.ready);
    evidence.extend(unready.map(|one| container(object, one)));
    evidence
}

fn container(pod: &health::Object, container: Container<'_>) -> Evidence {
    let Container { status, is_init } = container;
    let list = if is_init {
        "initContainerStatuses"
    } else {
        "containerStatuses"
    };
    let mut words = vec![format!("image {}", container.image())];
    if let Some(waiting) = &status.state.waiting {
        words.push(format!("waiting {}", waiting.reason));
    }
    let end = status.state.terminated.as_ref();
    if let Some(end) = end.or(status.last_state.terminated.as_ref()) {
        words.push(match end.reason.as_str() {
            // These reasons give no more information than the exit code, so they are omitted.
            "" | "Error" | "Completed" => format!("exit code {}", end.exit_code),
            reason => format!("exit code {} ({reason})", end.exit_code),
        });
    }
    if status.restart_count > 0 {
        words.push(counted(status.restart_count, "restart"));
    }
    let field = format!("status.{list}[{}]", cite(&status.name));
    Evidence::new(pod, &field, &words.join(", "))
}
