//! The install strategy of an operator, and its install modes.

use serde::Deserialize;

use crate::PodTemplate;
use crate::deployment::REPLICAS;
use crate::resource::word;

/// An install mode: a set of namespaces that an operator may be able to watch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InstallMode {
    /// The type of the install mode.
    pub r#type: InstallModeType,
    /// True if the operator supports the install mode.
    pub supported: bool,
}

word! {
    /// The type of an install mode: which namespaces the operator watches.
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

/// The permissions of a ServiceAccount. Only the name of the ServiceAccount is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct StrategyPermission {
    /// The name of the ServiceAccount.
    #[serde(rename = "serviceAccountName")]
    pub service_account: String,
}

/// A Deployment that the install strategy requires.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WantedDeployment {
    /// The name of the Deployment.
    pub name: String,
    /// The fields that Portolan reads from the spec of the Deployment.
    pub spec: WantedDeploymentSpec,
}

/// The fields that Portolan reads from the spec of a Deployment in an install strategy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WantedDeploymentSpec {
    /// The number of replicas. Kubernetes uses 1 if it is not set.
    pub replicas: Option<i32>,
    /// The template from which the Pods are created.
    pub template: PodTemplate,
}

/// A webhook of an operator, with the fields that Portolan reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WebhookDefinition {
    /// The CRDs whose objects the webhook converts. Empty for an admission webhook.
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
