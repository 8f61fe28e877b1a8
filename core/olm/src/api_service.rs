//! `APIService`: what makes the kinds of an API server known.

#[cfg(test)]
mod tests;

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::Condition;
use crate::resource::resource;

/// What makes a version of a group known. Its name is `<version>.<group>`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiService {
    /// Its name and versions.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: ApiServiceSpec,
    /// What there is.
    pub status: ApiServiceStatus,
}

resource!(
    ApiService as "APIService",
    "apiservices",
    "apiregistration.k8s.io",
    "v1",
    ClusterResourceScope
);

/// What is wanted of an APIService.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiServiceSpec {
    /// The Service of the API server; None for what Kubernetes itself serves.
    pub service: Option<ServiceRef>,
}

/// Names a Service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ServiceRef {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// What there is of an APIService.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiServiceStatus {
    /// What Kubernetes says of it.
    pub conditions: Vec<Condition>,
}
