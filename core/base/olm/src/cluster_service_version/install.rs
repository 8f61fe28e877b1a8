//! The install strategy of an operator, and its install modes.

use serde::Deserialize;

use crate::PodTemplate;
use crate::deployment::REPLICAS;
use crate::resource::word;

/// An install mode, which is a way to watch namespaces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InstallMode {
    /// The way.
    pub r#type: InstallModeType,
    /// True if the operator supports it.
    pub supported: bool,
}

word! {
    /// The namespaces that an operator watches.
    InstallModeType {
        /// The operator watches its own namespace.
        OwnNamespace = "OwnNamespace",
        /// The operator watches one other namespace.
        SingleNamespace = "SingleNamespace",
        /// The operator watches several namespaces.
        MultiNamespace = "MultiNamespace",
        /// The operator watches all namespaces.
        AllNamespaces = "AllNamespaces",
    }
}

/// The install strategy of an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InstallStrategy {
    /// The spec of the strategy.
    pub spec: InstallStrategySpec,
}

/// The spec of an install strategy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InstallStrategySpec {
    /// The Deployments of the operator.
    pub deployments: Vec<WantedDeployment>,
    /// The permissions in the namespaces that the operator watches.
    pub permissions: Vec<StrategyPermission>,
    /// The permissions in the whole cluster.
    #[serde(rename = "clusterPermissions")]
    pub cluster_permissions: Vec<StrategyPermission>,
}

/// The permissions of a ServiceAccount, with the fields that are read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct StrategyPermission {
    /// The name of the ServiceAccount.
    #[serde(rename = "serviceAccountName")]
    pub service_account: String,
}

/// A Deployment that an operator requires.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WantedDeployment {
    /// The name.
    pub name: String,
    /// The fields of its spec that are read.
    pub spec: WantedDeploymentSpec,
}

/// The fields that are read of the spec of a Deployment in a ClusterServiceVersion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WantedDeploymentSpec {
    /// The number of replicas. Kubernetes uses 1 if it is not set.
    pub replicas: Option<i32>,
    /// The template from which the Pods are created.
    pub template: PodTemplate,
}

/// A webhook of an operator, with the fields that are read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WebhookDefinition {
    /// The CRDs whose objects it converts. Empty for an admission webhook.
    #[serde(rename = "conversionCRDs")]
    pub conversion_crds: Vec<String>,
}

// === impl WantedDeployment ===

impl WantedDeployment {
    /// Returns the number of desired replicas.
    pub fn replicas(&self) -> i32 {
        self.spec.replicas.unwrap_or(REPLICAS)
    }
}
