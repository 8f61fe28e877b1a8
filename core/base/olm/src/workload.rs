//! Workloads of Kubernetes with any owner, with the fields that all kinds of workloads share.

#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube_core::{Expression, ObjectMeta, Selector};
use serde::Deserialize;

use crate::deployment::REPLICAS;
use crate::resource::resource;
use crate::{Condition, Label, PodTemplate};

/// The label that a plan sets on the objects that it applies, with the lineage of the plan.
pub const LINEAGE: Label = Label::new("plans.portolan.dev/lineage");
/// The label with the name of the program to which an object belongs.
pub const PROGRAM: Label = Label::new("app.kubernetes.io/name");
/// The label with the component of the program to which an object belongs.
pub const PART: Label = Label::new("app.kubernetes.io/component");
/// The label with the version of the program to which an object belongs.
pub const VERSION: Label = Label::new("app.kubernetes.io/version");

/// The value of [`PROGRAM`] for Portolan, and the name of Portolan's containers.
const PORTOLAN: &str = "portolan";

/// Returns the version of Portolan, from a label of one of its objects.
pub fn version_of_portolan(metadata: &ObjectMeta) -> Option<&str> {
    VERSION.of(metadata)
}

/// Returns a selector for the objects that plans have applied.
pub fn applied_by_plan() -> Selector {
    Expression::Exists(LINEAGE.name().to_owned()).into()
}

/// Returns a selector for the objects of Portolan itself.
pub fn of_portolan() -> Selector {
    Expression::Equal(PROGRAM.name().to_owned(), PORTOLAN.to_owned()).into()
}

/// Defines a kind of workload.
macro_rules! workload {
    ($(#[$doc:meta])* $kind:ident as $name:literal, $plural:literal, $group:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Deserialize)]
        #[serde(default)]
        pub struct $kind {
            /// The metadata, such as the name, the namespace and the resource version.
            pub metadata: ObjectMeta,
            /// The desired state.
            pub spec: WorkloadSpec,
            /// The observed state.
            pub status: WorkloadStatus,
        }

        resource!($kind as $name, $plural, $group, "v1", NamespaceResourceScope);

        impl WorkloadKind for $kind {
            fn workload(&self) -> (&ObjectMeta, &WorkloadSpec, &WorkloadStatus) {
                (&self.metadata, &self.spec, &self.status)
            }
        }
    };
}

/// A kind whose objects run Pods.
pub trait WorkloadKind {
    /// Returns the metadata, the desired state and the observed state of the workload.
    fn workload(&self) -> (&ObjectMeta, &WorkloadSpec, &WorkloadStatus);
}

workload! {
    /// A Deployment of any owner.
    AnyDeployment as "Deployment", "deployments", "apps"
}

workload! {
    /// A StatefulSet of any owner.
    StatefulSet as "StatefulSet", "statefulsets", "apps"
}

workload! {
    /// A DaemonSet of any owner.
    DaemonSet as "DaemonSet", "daemonsets", "apps"
}

/// The desired state of a workload.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct WorkloadSpec {
    /// The number of replicas. If it is not set, Kubernetes uses one replica.
    pub replicas: Option<i32>,
    /// The labels of the Pods of the workload.
    pub selector: LabelSelector,
    /// The Pod template. Stored only for workloads of Portolan.
    pub template: PodTemplate,
}

/// The observed state of a workload. A DaemonSet reports its numbers in other fields than the other
/// kinds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadStatus {
    /// The number of ready replicas.
    pub ready_replicas: i32,
    /// The number of nodes on which a DaemonSet must run. None for other kinds.
    pub desired_number_scheduled: Option<i32>,
    /// The number of nodes on which the DaemonSet's Pod is ready.
    pub number_ready: i32,
    /// The conditions that its controller has set.
    pub conditions: Vec<Condition>,
}

// === impl WorkloadSpec ===

impl WorkloadSpec {
    /// Returns a selector for the Pods of the workload. Other Pods may have the same labels.
    /// Returns None if the selector is missing or invalid, because such a selector must not select
    /// all Pods.
    pub fn selector(&self) -> Option<Selector> {
        let selector = Selector::try_from(self.selector.clone()).ok()?;
        (!selector.selects_all()).then_some(selector)
    }
}

/// Returns true if the object belongs to Portolan.
pub fn is_of_portolan(metadata: &ObjectMeta) -> bool {
    PROGRAM.of(metadata) == Some(PORTOLAN)
}

/// Returns the tag of Portolan's image in a Pod template. Returns None if the image has no tag.
pub fn tag_of_portolan(template: &PodTemplate) -> Option<&str> {
    let mut containers = template.spec.containers.iter();
    let portolan = containers.find(|container| container.name == PORTOLAN)?;
    let image = portolan.image.split('@').next()?;
    let name = image.rsplit('/').next()?;
    name.split_once(':').map(|(_, tag)| tag)
}

// === impl WorkloadStatus ===

impl WorkloadStatus {
    /// Returns the number of ready Pods and the number of desired Pods.
    pub fn counts(&self, spec: &WorkloadSpec) -> (i32, i32) {
        match self.desired_number_scheduled {
            Some(desired) => (self.number_ready, desired),
            None => (self.ready_replicas, spec.replicas.unwrap_or(REPLICAS)),
        }
    }
}
