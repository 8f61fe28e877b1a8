//! `Job`. OLM unpacks each bundle with a Job.

#[cfg(test)]
mod tests;

use kube_core::{Expression, ObjectMeta, Selector};
use serde::Deserialize;

use crate::resource::resource;
use crate::{Condition, PodTemplate};

/// The label on the Jobs with which OLM unpacks bundles, and on their Pods (OLM v0.46).
const UNPACKS: &str = "operatorframework.io/bundle-unpack-ref";

/// The label that Kubernetes sets on a Pod of a Job, with the uid of the Job.
const CONTROLLER: &str = "batch.kubernetes.io/controller-uid";

/// The name of the init container that runs the image of the bundle (OLM v0.46).
const PULL: &str = "pull";

/// A task that runs until it is complete.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Job {
    /// The metadata, such as the name, the namespace and the resource version.
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
    /// The conditions that the Job controller has set.
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

    /// Returns the image of the bundle that the Job unpacks. Returns None if the Job does not
    /// unpack a bundle.
    pub fn bundle_image(&self) -> Option<&str> {
        let mut first = self.spec.template.spec.init_containers.iter();
        let pull = first.find(|container| container.name == PULL)?;
        Some(&pull.image)
    }

    /// Returns true if the container with this name runs the image of the bundle. The other
    /// containers of the Job's Pods run images of OLM.
    pub fn is_bundle_container(name: &str) -> bool {
        name == PULL
    }

    /// Returns true if the Job has completed successfully.
    pub fn is_complete(&self) -> bool {
        self.true_condition("Complete").is_some()
    }

    /// Returns the condition that marks the Job as failed. Returns None if the Job has not failed.
    pub fn failure(&self) -> Option<&Condition> {
        self.true_condition("Failed")
    }

    fn true_condition(&self, kind: &str) -> Option<&Condition> {
        let mut said = self.status.conditions.iter();
        said.find(|said| said.r#type == kind && said.status == "True")
    }
}
