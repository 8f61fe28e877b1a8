//! `Job`: the unpacking of a bundle by OLM.

#[cfg(test)]
mod tests;

use kube_core::{Expression, ObjectMeta, Selector};
use serde::Deserialize;

use crate::resource::resource;
use crate::{Condition, PodTemplate};

/// The label of the Jobs with which OLM unpacks bundles, and of their Pods (v0.46).
const UNPACKS: &str = "operatorframework.io/bundle-unpack-ref";

/// The label with the uid of its Job that Kubernetes sets on a Pod.
const CONTROLLER: &str = "batch.kubernetes.io/controller-uid";

/// The container of an unpacking Job that runs the image of the bundle (OLM v0.46).
const PULL: &str = "pull";

/// A task that runs until it is complete.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Job {
    /// The name, namespace and versions.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: JobSpec,
    /// The observed state.
    pub status: JobStatus,
}

resource!(Job, "jobs", "batch", "v1", NamespaceResourceScope);

/// The desired state of a Job.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct JobSpec {
    /// The template from which the Pods are created.
    pub template: PodTemplate,
}

/// The observed state of a Job.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct JobStatus {
    /// The conditions that its controller has set.
    pub conditions: Vec<Condition>,
}

// === impl Job ===

impl Job {
    /// Returns a selector of the Jobs with which OLM unpacks bundles, and of their Pods.
    pub fn unpacking() -> Selector {
        Expression::Exists(UNPACKS.to_owned()).into()
    }

    /// Returns a selector of the Pods of the Job with this uid.
    pub fn pods_of(uid: &str) -> Selector {
        Expression::Equal(CONTROLLER.to_owned(), uid.to_owned()).into()
    }

    /// Returns the image of the bundle that the Job unpacks, if any.
    pub fn bundle_image(&self) -> Option<&str> {
        let mut first = self.spec.template.spec.init_containers.iter();
        let pull = first.find(|container| container.name == PULL)?;
        Some(&pull.image)
    }

    /// Returns true if the container of its Pods with this name runs the image of the bundle. The
    /// other containers run images of OLM.
    pub fn is_bundle_container(name: &str) -> bool {
        name == PULL
    }

    /// Returns true if it has completed successfully.
    pub fn is_complete(&self) -> bool {
        self.true_condition("Complete").is_some()
    }

    /// Returns the condition with which Kubernetes has marked the Job as failed, if any.
    pub fn failure(&self) -> Option<&Condition> {
        self.true_condition("Failed")
    }

    fn true_condition(&self, kind: &str) -> Option<&Condition> {
        let mut said = self.status.conditions.iter();
        said.find(|said| said.r#type == kind && said.status == "True")
    }
}
