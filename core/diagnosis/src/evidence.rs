//! What was read of an object.

use portolan_core_health::{
    self as health, Below, Condition, Container, Csv, Deployment, InstallPlan, Pod, Subscription,
};
use portolan_core_names::text::{cite, counted};

use crate::{Evidence, Object};

impl Evidence {
    /// What stands in a field of an object.
    pub(crate) fn new(object: &health::Object, field: &str, value: &str) -> Self {
        Self::at(Object::from(object), field, value)
    }

    /// The same of an object that health does not know.
    pub(crate) fn at(object: Object, field: &str, value: &str) -> Self {
        Self {
            object,
            field: field.to_owned(),
            value: cite(value),
        }
    }

    /// That it is not there.
    pub(crate) fn absent(object: Object) -> Self {
        Self::at(object, "", "not there")
    }
}

/// Fields with their values, without those that are empty.
fn rows(object: &health::Object, rows: &[(&str, &str)]) -> Vec<Evidence> {
    let written = rows.iter().filter(|(_, value)| !value.is_empty());
    written
        .map(|(field, value)| Evidence::new(object, field, value))
        .collect()
}

/// What OLM says of a ClusterServiceVersion.
pub(crate) fn csv(csv: &Csv) -> Vec<Evidence> {
    rows(
        &csv.observed.object,
        &[
            ("status.phase", csv.phase.as_str()),
            ("status.reason", &csv.reason),
            ("status.message", &csv.message),
        ],
    )
}

/// What a Subscription asks for.
pub(crate) fn wish(wish: &Subscription) -> Vec<Evidence> {
    rows(
        &wish.observed.object,
        &[
            ("spec.name", &wish.package),
            ("spec.channel", &wish.channel),
            ("spec.source", &wish.source),
            ("spec.sourceNamespace", &wish.source_namespace),
        ],
    )
}

/// What OLM says of a Subscription under one type of condition.
pub(crate) fn said(wish: &Subscription, kind: &str) -> Vec<Evidence> {
    let said = wish.conditions.iter().filter(|said| said.kind == kind);
    said.map(|said| condition(&wish.observed.object, said))
        .collect()
}

/// How far OLM has come with an InstallPlan.
pub(crate) fn plan(plan: &InstallPlan) -> Vec<Evidence> {
    rows(
        &plan.observed.object,
        &[
            ("status.phase", plan.phase.as_str()),
            (
                "spec.approved",
                if plan.is_approved { "true" } else { "false" },
            ),
            ("status.message", &plan.message),
        ],
    )
}

/// What is said of any object.
pub(crate) fn condition(object: &health::Object, said: &Condition) -> Evidence {
    let Condition {
        kind,
        status,
        reason,
        message,
        generation: _,
    } = said;
    let field = format!("status.conditions[{}]", cite(kind));
    let words = [status.as_str(), reason, message];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    Evidence::new(object, &field, &words.join(" "))
}

/// What a Deployment says, and the Pods and ReplicaSets below it that are not as they should be.
pub(crate) fn deployment(deployment: &Deployment) -> Vec<Evidence> {
    let object = &deployment.observed.object;
    let replicas = format!("{} of {}", deployment.available, deployment.replicas);
    let mut evidence = vec![Evidence::new(object, "status.availableReplicas", &replicas)];
    evidence.extend(
        deployment
            .conditions
            .iter()
            .map(|said| condition(object, said)),
    );
    if let Below::Looked {
        replica_sets, pods, ..
    } = &deployment.below
    {
        for set in &replica_sets.objects {
            let said = set.conditions.iter();
            evidence.extend(said.map(|said| condition(&set.observed.object, said)));
        }
        evidence.extend(pods.objects.iter().flat_map(pod));
    }
    evidence.sort();
    evidence
}

/// What a Pod says of its containers, or why it has none.
pub(crate) fn pod(pod: &Pod) -> Vec<Evidence> {
    let object = &pod.observed.object;
    let bad = pod.conditions.iter().filter(|said| said.status == "False");
    let mut evidence: Vec<Evidence> = bad.map(|said| condition(object, said)).collect();
    let unready = pod
        .containers
        .iter()
        .filter(|container| !container.is_ready);
    evidence.extend(unready.map(|one| container(object, one)));
    evidence
}

fn container(pod: &health::Object, container: &Container) -> Evidence {
    let list = match container.is_init {
        true => "initContainerStatuses",
        false => "containerStatuses",
    };
    let mut words = vec![format!("image {}", container.image)];
    if let Some(waiting) = &container.waiting {
        words.push(format!("waiting {}", waiting.reason));
    }
    let end = container.terminated.as_ref().or(container.last.as_ref());
    if let Some(end) = end {
        words.push(format!("exit code {}", end.exit_code));
    }
    if container.restarts > 0 {
        words.push(counted(container.restarts, "restart"));
    }
    let field = format!("status.{list}[{}]", cite(&container.name));
    Evidence::new(pod, &field, &words.join(", "))
}
