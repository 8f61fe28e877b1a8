//! What makes kinds known: `CustomResourceDefinition` and `APIService`.

#[cfg(test)]
mod tests;

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::Condition;
use crate::resource::resource;

/// What makes a kind known, without its schemas, which are nearly all of it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CustomResourceDefinition {
    /// Its name and versions.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: CustomResourceDefinitionSpec,
    /// What there is.
    pub status: CustomResourceDefinitionStatus,
}

resource!(
    CustomResourceDefinition,
    "customresourcedefinitions",
    "apiextensions.k8s.io",
    "v1",
    ClusterResourceScope
);

/// What is wanted of a definition.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CustomResourceDefinitionSpec {
    /// The versions of the kind.
    pub versions: Vec<DefinedVersion>,
}

/// One version of a kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DefinedVersion {
    /// Its name.
    pub name: String,
    /// Whether it can be asked for.
    pub served: bool,
    /// Whether objects are stored in it from now on.
    pub storage: bool,
}

/// What there is of a definition.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CustomResourceDefinitionStatus {
    /// What Kubernetes says of it.
    pub conditions: Vec<Condition>,
    /// The versions in which objects are stored, or were.
    pub stored_versions: Vec<String>,
}

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
