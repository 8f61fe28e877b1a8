//! `ReplicaSet`: one edition of a Deployment.

#[cfg(test)]
mod tests;

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::owner::controller_uid;
use crate::resource::resource;
use crate::{Annotation, Condition};

/// The annotation with the number of the edition.
pub(crate) const REVISION: Annotation = Annotation::new("deployment.kubernetes.io/revision");

/// One edition of a Deployment.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReplicaSet {
    /// Its name, namespace and versions.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: ReplicaSetSpec,
    /// What there is.
    pub status: ReplicaSetStatus,
}

resource!(
    ReplicaSet,
    "replicasets",
    "apps",
    "v1",
    NamespaceResourceScope
);

/// What is wanted of a ReplicaSet.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReplicaSetSpec {
    /// How many Pods; Kubernetes takes one where nothing is said.
    pub replicas: Option<i32>,
}

/// What there is of a ReplicaSet.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReplicaSetStatus {
    /// How many Pods there are.
    pub replicas: i32,
    /// What its controller says of it.
    pub conditions: Vec<Condition>,
}

impl ReplicaSet {
    /// Which edition of its Deployment it is, counted from 1.
    pub fn revision(&self) -> Option<i64> {
        REVISION.of(&self.metadata)?.parse().ok()
    }

    /// The uid of the Deployment that made it.
    pub fn owner_uid(&self) -> Option<&str> {
        controller_uid(&self.metadata)
    }
}
