//! The kinds of objects that tests read and write as JSON, without Rust types.

use kube::api::{ApiResource, DynamicObject};
use kube::core::{GroupVersionKind, TypeMeta};
use kube::{Api, Client};
use serde_json::Value;

use crate::failure::Failure;

/// A kind of object. `kube::Api` uses it for objects as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    CatalogSource,
    ClusterServiceVersion,
    ConfigMap,
    CustomResourceDefinition,
    Deployment,
    EndpointSlice,
    InstallPlan,
    Job,
    Namespace,
    Node,
    OperatorGroup,
    OperatorPolicy,
    Pod,
    Service,
    ServiceAccount,
    Subscription,
}

impl Kind {
    /// Returns the API for objects of this kind in one namespace.
    pub fn within(self, client: &Client, namespace: &str) -> Api<DynamicObject> {
        Api::namespaced_with(client.clone(), namespace, &self.resource())
    }

    /// Returns the API for objects of this kind in all namespaces.
    pub fn everywhere(self, client: &Client) -> Api<DynamicObject> {
        Api::all_with(client.clone(), &self.resource())
    }

    /// Creates the value of an object of this kind. Does not send a request.
    /// # Errors
    /// The body is invalid.
    pub fn object(self, name: &str, body: Value) -> Result<DynamicObject, Failure> {
        let mut object: DynamicObject =
            serde_json::from_value(body).map_err(Failure::read(format!("the object {name}")))?;
        object.metadata.name = Some(name.to_owned());
        let resource = self.resource();
        object.types = Some(TypeMeta {
            api_version: resource.api_version,
            kind: resource.kind,
        });
        Ok(object)
    }

    /// Returns the description of the kind that `kube` needs.
    pub fn resource(self) -> ApiResource {
        let (group, version, kind) = self.names();
        ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
    }

    fn names(self) -> (&'static str, &'static str, &'static str) {
        const OLM: &str = "operators.coreos.com";
        match self {
            Self::CatalogSource => (OLM, "v1alpha1", "CatalogSource"),
            Self::ClusterServiceVersion => (OLM, "v1alpha1", "ClusterServiceVersion"),
            Self::ConfigMap => ("", "v1", "ConfigMap"),
            Self::CustomResourceDefinition => {
                ("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
            }
            Self::Deployment => ("apps", "v1", "Deployment"),
            Self::EndpointSlice => ("discovery.k8s.io", "v1", "EndpointSlice"),
            Self::InstallPlan => (OLM, "v1alpha1", "InstallPlan"),
            Self::Job => ("batch", "v1", "Job"),
            Self::Namespace => ("", "v1", "Namespace"),
            Self::Node => ("", "v1", "Node"),
            Self::OperatorGroup => (OLM, "v1", "OperatorGroup"),
            Self::OperatorPolicy => (
                "policy.open-cluster-management.io",
                "v1beta1",
                "OperatorPolicy",
            ),
            Self::Pod => ("", "v1", "Pod"),
            Self::Service => ("", "v1", "Service"),
            Self::ServiceAccount => ("", "v1", "ServiceAccount"),
            Self::Subscription => (OLM, "v1alpha1", "Subscription"),
        }
    }
}
