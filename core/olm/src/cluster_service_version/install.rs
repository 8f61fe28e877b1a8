//! How an operator is installed, and where it can be.

use serde::Deserialize;

use crate::PodTemplate;
use crate::deployment::REPLICAS;
use crate::resource::word;

/// A way to watch namespaces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InstallMode {
    /// The way.
    pub r#type: InstallModeType,
    /// Whether the operator can do it.
    pub supported: bool,
}

word! {
    /// Which namespaces an operator watches.
    InstallModeType {
        /// Its own.
        OwnNamespace = "OwnNamespace",
        /// One other.
        SingleNamespace = "SingleNamespace",
        /// Several.
        MultiNamespace = "MultiNamespace",
        /// All of them.
        AllNamespaces = "AllNamespaces",
    }
}

/// How an operator is installed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InstallStrategy {
    /// What that takes.
    pub spec: InstallStrategySpec,
}

/// What it takes to install an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InstallStrategySpec {
    /// What shall run.
    pub deployments: Vec<WantedDeployment>,
}

/// A Deployment as an operator wants it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WantedDeployment {
    /// Its name.
    pub name: String,
    /// As much of its spec as is read.
    pub spec: WantedDeploymentSpec,
}

/// As much of the spec of a Deployment as is read of one that is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WantedDeploymentSpec {
    /// How many replicas; Kubernetes takes one where nothing is said.
    pub replicas: Option<i32>,
    /// What its Pods are made from.
    pub template: PodTemplate,
}

// === impl WantedDeployment ===

impl WantedDeployment {
    /// How many replicas are wanted.
    pub fn replicas(&self) -> i32 {
        self.spec.replicas.unwrap_or(REPLICAS)
    }
}
