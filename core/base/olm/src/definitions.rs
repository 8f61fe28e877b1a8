//! The objects that make kinds available: `CustomResourceDefinition` and `APIService`.

#[cfg(test)]
mod tests;

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::Condition;
use crate::resource::resource;

/// A CRD without its schemas, which are the largest fields.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CustomResourceDefinition {
    /// The metadata, such as the name and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: CustomResourceDefinitionSpec,
    /// The observed state.
    pub status: CustomResourceDefinitionStatus,
}

resource!(
    CustomResourceDefinition,
    "customresourcedefinitions",
    "apiextensions.k8s.io",
    "v1",
    ClusterResourceScope
);

/// The desired state of a CRD.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CustomResourceDefinitionSpec {
    /// The versions of the kind.
    pub versions: Vec<DefinedVersion>,
}

/// A version of the kind that a CRD defines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DefinedVersion {
    /// The name of the version, such as `v1`.
    pub name: String,
    /// True if API servers serve the version.
    pub served: bool,
    /// True if API servers store objects in this version.
    pub storage: bool,
}

/// The observed state of a CRD.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CustomResourceDefinitionStatus {
    /// The conditions that Kubernetes has set.
    pub conditions: Vec<Condition>,
    /// The versions in which objects are stored or may have been stored earlier.
    pub stored_versions: Vec<String>,
}

/// An APIService: registers one version of an API group. Its name is `<version>.<group>`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiService {
    /// The metadata, such as the name and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: ApiServiceSpec,
    /// The observed state.
    pub status: ApiServiceStatus,
}

resource!(
    ApiService as "APIService",
    "apiservices",
    "apiregistration.k8s.io",
    "v1",
    ClusterResourceScope
);

/// The desired state of an APIService.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiServiceSpec {
    /// The Service of the API server. None for groups that Kubernetes itself serves.
    pub service: Option<ServiceRef>,
}

/// A reference to a Service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ServiceRef {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// The observed state of an APIService.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiServiceStatus {
    /// The conditions that Kubernetes has set.
    pub conditions: Vec<Condition>,
}
