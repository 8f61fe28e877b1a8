//! `Deployment` and `ReplicaSet`. Deployments run the operators, and each ReplicaSet is a revision
//! of a Deployment.

#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, Time};
use kube_core::{ObjectMeta, Selector};
use serde::Deserialize;

use crate::metadata::controller_uid;
use crate::resource::resource;
use crate::{Annotation, ClusterServiceVersion, Condition, Label};

/// The label that OLM sets on a Deployment, with the name of the ClusterServiceVersion that owns
/// it.
pub const OWNER: Label = Label::new("olm.owner");

/// The annotation that Argo CD sets on the objects of an Application, in the form
/// `application:object`.
pub const TRACKED: Annotation = Annotation::new("argocd.argoproj.io/tracking-id");
/// The annotation in which kube-downscaler stores the number of replicas before it scales an object
/// down.
pub const ORIGINAL_REPLICAS: Annotation = Annotation::new("downscaler/original-replicas");
/// The annotations in which kube-downscaler finds the schedule of an object.
const DOWNSCALER_SCHEDULES: [Annotation; 8] = [
    Annotation::new("downscaler/uptime"),
    Annotation::new("downscaler/downtime"),
    Annotation::new("downscaler/upscale-period"),
    Annotation::new("downscaler/downscale-period"),
    Annotation::new("downscaler/force-uptime"),
    Annotation::new("downscaler/force-downtime"),
    Annotation::new("downscaler/downtime-replicas"),
    Annotation::new("downscaler/exclude-until"),
];
/// The annotations of kube-downscaler that Portolan reads.
pub(crate) const DOWNSCALER_ANNOTATIONS: &[Annotation] = &{
    let [a, b, c, d, e, f, g, h] = DOWNSCALER_SCHEDULES;
    [ORIGINAL_REPLICAS, a, b, c, d, e, f, g, h]
};
/// The annotation with the value `true` that excludes an object from kube-downscaler.
pub const DOWNSCALER_EXCLUDE: &str = "downscaler/exclude";
/// The subresource with which clients change only the number of replicas.
const SCALE: &str = "scale";

/// The number of replicas that Kubernetes uses if the field is not set.
pub(crate) const REPLICAS: i32 = 1;

/// The field managers of OLM and of the Deployment controller, which writes the revision
/// annotation.
const OLM_WRITERS: [&str; 3] = ["kube-controller-manager", "olm", "olm-operator"];

/// A Deployment, without the details of its Pod template.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Deployment {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: DeploymentSpec,
    /// The observed state.
    pub status: DeploymentStatus,
}

resource!(
    Deployment,
    "deployments",
    "apps",
    "v1",
    NamespaceResourceScope
);

/// The desired state of a Deployment.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DeploymentSpec {
    /// The number of replicas. Kubernetes uses 1 if it is not set.
    pub replicas: Option<i32>,
    /// True if the rollout is paused.
    pub paused: bool,
    /// The labels that select the ReplicaSets and Pods of the Deployment.
    pub selector: LabelSelector,
}

/// The observed state of a Deployment.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentStatus {
    /// The latest generation that the controller has observed.
    pub observed_generation: i64,
    /// The number of replicas of all revisions.
    pub replicas: i32,
    /// The number of replicas of the newest revision.
    pub updated_replicas: i32,
    /// The number of replicas that are ready.
    pub ready_replicas: i32,
    /// The number of replicas that are available.
    pub available_replicas: i32,
    /// The conditions that the Deployment controller has set.
    pub conditions: Vec<Condition>,
}

/// The annotation on a ReplicaSet with its revision number.
pub(crate) const REVISION: Annotation = Annotation::new("deployment.kubernetes.io/revision");

/// A revision of a Deployment.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReplicaSet {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: ReplicaSetSpec,
    /// The observed state.
    pub status: ReplicaSetStatus,
}

resource!(
    ReplicaSet,
    "replicasets",
    "apps",
    "v1",
    NamespaceResourceScope
);

/// The desired state of a ReplicaSet.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReplicaSetSpec {
    /// The number of Pods. Kubernetes uses 1 if it is not set.
    pub replicas: Option<i32>,
}

/// The observed state of a ReplicaSet.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReplicaSetStatus {
    /// The number of Pods.
    pub replicas: i32,
    /// The conditions that the ReplicaSet controller has set.
    pub conditions: Vec<Condition>,
}

/// The Pod template. Only the containers with their images are read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PodTemplate {
    /// The desired state of the Pods.
    pub spec: PodTemplateSpec,
}

/// The desired state of Pods.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodTemplateSpec {
    /// The init containers, which run before the main containers.
    pub init_containers: Vec<TemplateContainer>,
    /// The main containers.
    pub containers: Vec<TemplateContainer>,
}

/// A container of a Pod template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TemplateContainer {
    /// The name.
    pub name: String,
    /// The image.
    pub image: String,
}

/// Returns the client that was the last to change only the number of replicas: its field manager,
/// and the time of the change.
pub fn last_scaler(metadata: &ObjectMeta) -> Option<(&str, Option<&Time>)> {
    let entries = metadata.managed_fields.iter().flatten();
    let scalers = entries.filter(|entry| entry.subresource.as_deref() == Some(SCALE));
    let named = scalers.filter_map(|entry| Some((entry.manager.as_deref()?, &entry.time)));
    let last = named.max_by_key(|(_, time)| *time)?;
    Some((last.0, last.1.as_ref()))
}

/// Returns the number of replicas that an object had before kube-downscaler scaled it down. Returns
/// None if kube-downscaler did not scale the object down.
pub fn original_replicas(metadata: &ObjectMeta) -> Option<i32> {
    let original = ORIGINAL_REPLICAS.of(metadata)?.parse().ok()?;
    (original > 0).then_some(original)
}

/// Returns the annotations with the schedule by which kube-downscaler scales an object: keys and
/// values.
pub fn downscaler_schedule(metadata: &ObjectMeta) -> impl Iterator<Item = (&'static str, &str)> {
    let all = DOWNSCALER_SCHEDULES.into_iter();
    all.filter_map(|one| Some((one.name(), one.of(metadata)?)))
}

/// Returns the Argo CD Application to which the object with this metadata belongs.
pub fn argo_cd_application(metadata: &ObjectMeta) -> Option<&str> {
    let (application, _) = TRACKED.of(metadata)?.split_once(':')?;
    (!application.is_empty()).then_some(application)
}

// === impl Deployment ===

impl Deployment {
    /// Returns the name of the ClusterServiceVersion that owns the Deployment, from the label that
    /// OLM sets.
    pub fn owner(&self) -> Option<&str> {
        OWNER.of(&self.metadata)
    }

    /// Returns the names of the ClusterServiceVersions in the owner references. Other clients can
    /// change the label, but garbage collection uses the owner references.
    pub fn owning_csvs(&self) -> impl Iterator<Item = &str> {
        let owners = self.metadata.owner_references.iter().flatten();
        let csvs = owners.filter(|owner| owner.kind == ClusterServiceVersion::KIND);
        csvs.map(|owner| owner.name.as_str())
    }

    /// Returns the Argo CD Application to which the Deployment belongs.
    pub fn application(&self) -> Option<&str> {
        argo_cd_application(&self.metadata)
    }

    /// Returns the client that was the last to change only the number of replicas: its field
    /// manager, and the time of the change.
    pub fn last_scaler(&self) -> Option<(&str, Option<&Time>)> {
        last_scaler(&self.metadata)
    }

    /// Returns the field manager of the client that last wrote to the Deployment. Ignores OLM, the
    /// Deployment controller, and clients that write only the status or the number of replicas.
    pub fn last_other_writer(&self) -> Option<&str> {
        let entries = self.metadata.managed_fields.iter().flatten();
        let others = entries.filter(|entry| entry.subresource.is_none());
        let named = others.filter_map(|entry| Some((&entry.time, entry.manager.as_deref()?)));
        let others = named.filter(|(_, manager)| !OLM_WRITERS.contains(manager));
        others
            .max_by_key(|(time, _)| time.as_ref())
            .map(|(_, it)| it)
    }

    /// Returns the number of desired replicas.
    pub fn replicas(&self) -> i32 {
        self.spec.replicas.unwrap_or(REPLICAS)
    }

    /// Returns the selector of the ReplicaSets and Pods. Other objects may have the same labels.
    /// Returns None if the selector is missing or invalid, because such a selector must not select
    /// all objects.
    pub fn selector(&self) -> Option<Selector> {
        let selector = Selector::try_from(self.spec.selector.clone()).ok()?;
        (!selector.selects_all()).then_some(selector)
    }
}

// === impl ReplicaSet ===

impl ReplicaSet {
    /// Returns the revision number. The first revision is 1.
    pub fn revision(&self) -> Option<i64> {
        REVISION.of(&self.metadata)?.parse().ok()
    }

    /// Returns the uid of the Deployment that owns the ReplicaSet.
    pub fn owner_uid(&self) -> Option<&str> {
        controller_uid(&self.metadata)
    }
}

// === impl PodTemplate ===

impl PodTemplate {
    /// Returns the images of all containers, init containers first.
    pub fn images(&self) -> impl Iterator<Item = &str> {
        let PodTemplateSpec {
            init_containers,
            containers,
        } = &self.spec;
        let all = init_containers.iter().chain(containers);
        all.map(|container| container.image.as_str())
    }
}
