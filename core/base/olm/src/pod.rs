//! `Pod`: a running replica of a workload.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use kube_core::ObjectMeta;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::Condition;
use crate::catalog_source::SERVES;
use crate::metadata::controller_uid;
use crate::resource::resource;

/// A Pod, with its status and a few fields of its spec.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Pod {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: PodSpec,
    /// The observed state.
    pub status: PodStatus,
}

resource!(Pod, "pods", "", "v1", NamespaceResourceScope);

/// The desired state of a Pod.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSpec {
    /// The init containers, which run before the main containers.
    pub init_containers: Vec<InitContainer>,
    /// The main containers.
    pub containers: Vec<LimitedContainer>,
    /// The node on which the Pod runs. Empty if Kubernetes has not chosen a node yet.
    pub node_name: String,
    /// The labels that a node must have to run the Pod.
    pub node_selector: BTreeMap<String, String>,
}

/// An init container, which runs before the main containers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InitContainer {
    /// The name.
    pub name: String,
    /// `Always` for a sidecar: an init container that continues to run next to the main containers.
    pub restart_policy: String,
}

/// A main container with its resources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LimitedContainer {
    /// Its name.
    pub name: String,
    /// Its resources.
    pub resources: ContainerResources,
}

/// The resources of a container.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ContainerResources {
    /// The limits.
    pub limits: ResourceLimits,
    /// The resources that a node must have available for the container.
    pub requests: ResourceRequests,
}

/// The resources that a node must have available for a container, as Kubernetes quantities. A
/// quantity is empty if it is not set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ResourceRequests {
    /// The CPU request.
    #[serde(deserialize_with = "quantity")]
    pub cpu: String,
    /// The memory request.
    #[serde(deserialize_with = "quantity")]
    pub memory: String,
}

/// The limits of a container.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ResourceLimits {
    /// The memory limit, as a Kubernetes quantity. Empty if there is no limit.
    #[serde(deserialize_with = "quantity")]
    pub memory: String,
}

/// Deserializes a quantity from a string or a number. API servers write strings, but users also
/// write numbers in files.
fn quantity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => String::new(),
    })
}

/// The observed state of a Pod.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// The phase: `Pending`, `Running`, `Succeeded`, `Failed`, `Unknown`.
    pub phase: String,
    /// The reason as an identifier, such as `Evicted`. Usually empty.
    pub reason: String,
    /// The reason as text for users. Usually empty.
    pub message: String,
    /// The conditions that Kubernetes has set.
    pub conditions: Vec<Condition>,
    /// The statuses of the init containers.
    pub init_container_statuses: Vec<ContainerStatus>,
    /// The statuses of the main containers.
    pub container_statuses: Vec<ContainerStatus>,
}

/// The status of a container.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStatus {
    /// The name.
    pub name: String,
    /// The image. Some runtimes report the digest of the configuration of the image instead.
    pub image: String,
    /// The pulled image with its digest. Empty before the image is pulled.
    #[serde(rename = "imageID")]
    pub image_id: String,
    /// True if the container is ready.
    pub ready: bool,
    /// The number of restarts.
    pub restart_count: i32,
    /// The current state.
    pub state: ContainerState,
    /// The state before the last restart.
    pub last_state: ContainerState,
}

/// The state of a container. Every field is empty if no state was reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ContainerState {
    /// Set while the container waits.
    pub waiting: Option<ContainerWaiting>,
    /// Set while the container runs.
    pub running: Option<ContainerRunning>,
    /// Set after the container has terminated.
    pub terminated: Option<ContainerTerminated>,
}

/// The reason why a container does not run yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct ContainerWaiting {
    /// The reason as an identifier, such as `CrashLoopBackOff`.
    pub reason: String,
    /// The reason as text for users.
    pub message: String,
}

/// A running container. Portolan reads no fields of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct ContainerRunning {}

/// The termination of a container.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerTerminated {
    /// The exit code.
    pub exit_code: i32,
    /// The reason as an identifier, such as `OOMKilled`.
    pub reason: String,
    /// The message that the container wrote before it terminated.
    pub message: String,
}

impl ContainerTerminated {
    /// Returns true if the kernel killed the container because it used too much memory.
    pub fn exceeded_memory(&self) -> bool {
        self.reason == "OOMKilled"
    }
}

/// The status of a container, with the role of the container in its Pod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Container<'a> {
    /// The status.
    pub status: &'a ContainerStatus,
    /// True for an init container that must end before the main containers start.
    pub is_init: bool,
}

// === impl Pod ===

impl Pod {
    /// Returns the name of the CatalogSource whose registry runs in the Pod.
    pub fn catalog(&self) -> Option<&str> {
        SERVES.of(&self.metadata)
    }

    /// Returns the memory limit of the container with this name. Returns None if it has no limit.
    pub fn memory_limit(&self, container: &str) -> Option<&str> {
        let mut containers = self.spec.containers.iter();
        let own = containers.find(|one| one.name == container)?;
        let limit = own.resources.limits.memory.as_str();
        (!limit.is_empty()).then_some(limit)
    }

    /// Returns the uid of the owner, usually a ReplicaSet.
    pub fn owner_uid(&self) -> Option<&str> {
        controller_uid(&self.metadata)
    }

    /// Returns all containers of the Pod, init containers first.
    pub fn containers(&self) -> impl Iterator<Item = Container<'_>> {
        let first = self.status.init_container_statuses.iter();
        let first = first.map(|status| Container {
            status,
            is_init: !self.runs_along(&status.name),
        });
        let others = self.status.container_statuses.iter();
        first.chain(others.map(|status| Container {
            status,
            is_init: false,
        }))
    }

    fn runs_along(&self, name: &str) -> bool {
        let mut first = self.spec.init_containers.iter();
        first.any(|container| container.name == name && container.restart_policy == "Always")
    }
}

// === impl Container ===

impl Container<'_> {
    /// Returns the name under which the image was pulled.
    pub fn image(&self) -> &str {
        let ContainerStatus {
            image, image_id, ..
        } = self.status;
        if image.starts_with("sha256:") && !image_id.is_empty() {
            return image_id;
        }
        image
    }

    /// Returns true if the container is running.
    pub fn is_running(&self) -> bool {
        self.status.state.running.is_some()
    }
}
