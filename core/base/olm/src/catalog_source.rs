//! `CatalogSource`: a catalog of OLM v0. A registry serves its content over gRPC.

#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_core::{Expression, ObjectMeta, Selector};
use serde::Deserialize;
use thiserror::Error;

use crate::Label;
use crate::condition::Condition;
use crate::resource::{resource, word};

/// The label on the Pods in which OLM runs registries. Its value is the name of the CatalogSource
/// (OLM v0.46).
pub(crate) const SERVES: Label = Label::new("olm.catalogSource");

/// A catalog from which OLM v0 resolves operators.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CatalogSource {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: CatalogSourceSpec,
    /// The state that OLM reports.
    pub status: CatalogSourceStatus,
}

resource!(
    CatalogSource,
    "catalogsources",
    "operators.coreos.com",
    "v1alpha1",
    NamespaceResourceScope
);

/// The source of the content.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CatalogSourceSpec {
    /// The type of registry that serves the catalog.
    pub source_type: SourceType,
    /// The address of an external registry, as `host:port`.
    pub address: String,
    /// The image of a registry that OLM runs.
    pub image: String,
    /// The ConfigMap with the content, for the older source types.
    pub config_map: String,
    /// Pull secrets of the image.
    pub secrets: Vec<String>,
    /// Catalogs with a higher priority are preferred.
    pub priority: i32,
    /// The name of the catalog that user interfaces show.
    pub display_name: String,
    /// The publisher of the catalog.
    pub publisher: String,
}

word! {
    /// The type of registry that serves a CatalogSource.
    SourceType {
        /// A registry at an address, or a registry that OLM runs from an image.
        Grpc = "grpc",
        /// A registry that OLM runs, with content from a ConfigMap.
        Internal = "internal",
        /// The older name of `internal`.
        ConfigMap = "configmap",
    }
}

/// The state that OLM reports.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CatalogSourceStatus {
    /// The reason for a problem, as an identifier in CamelCase.
    pub reason: String,
    /// The message about a problem.
    pub message: String,
    /// The connection of OLM to the registry.
    #[serde(rename = "connectionState")]
    pub connection: Option<ConnectionState>,
    /// The Service in front of a registry that OLM runs.
    pub registry_service: Option<RegistryService>,
    /// The conditions that controllers have set.
    pub conditions: Vec<Condition>,
}

/// The connection of OLM to the registry.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConnectionState {
    /// The address to which OLM connects.
    pub address: String,
    /// The state of the connection.
    #[serde(rename = "lastObservedState")]
    pub state: RegistryState,
    /// The time at which the state last changed.
    #[serde(rename = "lastConnect")]
    pub since: Option<Time>,
}

word! {
    /// The state of OLM's connection to a registry, in the terms of gRPC.
    RegistryState {
        /// The connection is closed, because OLM has no request for the registry.
        Idle = "IDLE",
        /// The connection is being opened.
        Connecting = "CONNECTING",
        /// The registry answers.
        Ready = "READY",
        /// The connection failed. OLM tries to connect again.
        TransientFailure = "TRANSIENT_FAILURE",
        /// The connection was closed and is not opened again.
        Shutdown = "SHUTDOWN",
    }
}

/// The Service in front of a registry that OLM runs. For a registry at an external address, OLM
/// sets only `created_at`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RegistryService {
    /// The name of the Service.
    pub service_name: String,
    /// The namespace of the Service.
    pub service_namespace: String,
    /// The port of the Service, in digits.
    pub port: String,
    /// The protocol: `grpc`.
    pub protocol: String,
    /// The time at which OLM created the Service.
    pub created_at: Option<Time>,
}

/// The reason why the address of a registry is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoAddress {
    /// OLM has not created a Service for the registry.
    #[error("spec.address is empty, and OLM has made no registry service for it yet")]
    NoService,
    /// OLM has created a Service, but the status lacks this field of its address.
    #[error("spec.address is empty, and status.registryService has no {0}")]
    HalfService(&'static str),
}

// === impl CatalogSource ===

impl CatalogSource {
    /// Returns a selector for the Pods in which OLM runs registries.
    pub fn serving() -> Selector {
        Expression::Exists(SERVES.name().to_owned()).into()
    }

    /// Returns the state of the connection that OLM reports, such as `READY`. Returns an empty text
    /// if OLM reports no connection.
    pub fn connection(&self) -> &str {
        let connection = self.status.connection.as_ref();
        connection.map_or("", |connection| connection.state.as_str())
    }

    /// Returns true if OLM reports that it is connected to the registry.
    pub fn is_connected(&self) -> bool {
        self.is_in(&[RegistryState::Ready])
    }

    /// Returns true if OLM reports that it cannot connect to the registry, or no longer tries.
    pub fn has_lost_connection(&self) -> bool {
        self.is_in(&[RegistryState::TransientFailure, RegistryState::Shutdown])
    }

    fn is_in(&self, states: &[RegistryState]) -> bool {
        let connection = self.status.connection.as_ref();
        connection.is_some_and(|connection| states.contains(&connection.state))
    }

    /// Returns the address of the registry to which OLM connects, as `host:port` (OLM v0.46).
    ///
    /// # Errors
    ///
    /// Returns an error if the status does not contain the address yet.
    pub fn address(&self) -> Result<String, NoAddress> {
        if !self.spec.address.is_empty() {
            return Ok(self.spec.address.clone());
        }
        let service = self.status.registry_service.as_ref();
        let RegistryService {
            service_name,
            service_namespace,
            port,
            ..
        } = service.ok_or(NoAddress::NoService)?;
        let parts = [
            ("serviceName", service_name),
            ("serviceNamespace", service_namespace),
            ("port", port),
        ];
        let missing: Vec<_> = parts.iter().filter(|(_, part)| part.is_empty()).collect();
        match missing.as_slice() {
            [] => Ok(format!("{service_name}.{service_namespace}.svc:{port}")),
            // OLM writes a status with these three fields empty for a registry that it does not
            // run.
            [_, _, _] => Err(NoAddress::NoService),
            [(field, _), ..] => Err(NoAddress::HalfService(field)),
        }
    }
}
