//! What runs of an operator, and what it says of itself.

use portolan_core_health::{
    Below, Container, Deployment, Event, Kind, Object, OperatorCondition, Pod, ReplicaSet,
};
use portolan_core_olm::{ContainerState, ContainerStatus};

use super::{conditions, observed};

/// As many replicas as Kubernetes takes where nothing is said.
const REPLICAS: i32 = 1;

pub(crate) fn operator_condition(
    condition: &portolan_core_olm::OperatorCondition,
) -> OperatorCondition {
    let portolan_core_olm::OperatorCondition {
        metadata,
        spec,
        status,
    } = condition;
    OperatorCondition {
        observed: observed(Kind::OperatorCondition, condition.identity()),
        generation: metadata.generation.unwrap_or_default(),
        overrides: conditions(&spec.overrides),
        conditions: conditions(&status.conditions),
    }
}

pub(crate) fn deployment(deployment: &portolan_core_olm::Deployment, below: Below) -> Deployment {
    let portolan_core_olm::Deployment {
        metadata,
        spec,
        status,
    } = deployment;
    Deployment {
        observed: observed(Kind::Deployment, deployment.identity()),
        owner: deployment.owner().unwrap_or_default().to_owned(),
        generation: metadata.generation.unwrap_or_default(),
        observed_generation: status.observed_generation,
        replicas: spec.replicas.unwrap_or(REPLICAS),
        current: status.replicas,
        updated: status.updated_replicas,
        available: status.available_replicas,
        is_paused: spec.paused,
        is_deleting: metadata.deletion_timestamp.is_some(),
        conditions: conditions(&status.conditions),
        below,
    }
}

pub(crate) fn replica_set(set: &portolan_core_olm::ReplicaSet) -> ReplicaSet {
    ReplicaSet {
        observed: observed(Kind::ReplicaSet, set.identity()),
        revision: set.revision().unwrap_or_default(),
        replicas: set.spec.replicas.unwrap_or(REPLICAS),
        conditions: conditions(&set.status.conditions),
    }
}

/// A Pod, whatever it belongs to.
pub fn pod(pod: &portolan_core_olm::Pod) -> Pod {
    let status = &pod.status;
    let containers = pod.containers();
    Pod {
        observed: observed(Kind::Pod, pod.identity()),
        owner_uid: pod.owner_uid().unwrap_or_default().to_owned(),
        phase: status.phase.clone(),
        reason: status.reason.clone(),
        message: status.message.clone(),
        conditions: conditions(&status.conditions),
        containers: containers
            .map(|(status, is_init)| container(status, is_init))
            .collect(),
        is_deleting: pod.metadata.deletion_timestamp.is_some(),
    }
}

fn container(status: &ContainerStatus, is_init: bool) -> Container {
    let ContainerStatus {
        name,
        image,
        ready,
        restart_count,
        state,
        last_state,
    } = status;
    let ContainerState {
        waiting: waits,
        running,
        terminated: ended,
    } = state;
    Container {
        name: name.clone(),
        image: image.clone(),
        is_init,
        is_ready: *ready,
        is_running: running.is_some(),
        restarts: *restart_count,
        waiting: waits.clone(),
        terminated: ended.clone(),
        last: last_state.terminated.clone(),
    }
}

pub(crate) fn event(event: &portolan_core_olm::Event) -> Event {
    let about = &event.involved_object;
    Event {
        about: Object::new(
            kind(&about.kind),
            about.namespace.as_str(),
            about.name.as_str(),
        ),
        about_uid: about.uid.clone(),
        reason: event.reason.clone(),
        message: event.message.clone(),
        last_seen: event.last_seen().to_owned(),
    }
}

/// What stands below a Deployment, and the Deployment itself.
fn kind(word: &str) -> Kind {
    let known = [Kind::Deployment, Kind::ReplicaSet, Kind::Pod];
    let known = known.into_iter().find(|kind| kind.as_str() == word);
    known.unwrap_or(Kind::Other)
}
