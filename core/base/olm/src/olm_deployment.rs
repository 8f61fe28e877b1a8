//! `Deployment` of a controller of OLM v0.

use kube_core::{Expression, ObjectMeta, Selector};
use serde::Deserialize;

use crate::deployment::REPLICAS;
use crate::resource::resource;
use crate::{Condition, DeploymentSpec, DeploymentStatus};

/// The label of a controller of OLM with its name. Its Pods have the label too.
const APP: &str = "app";

/// A controller of OLM v0, which is a Deployment of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OlmController {
    /// Resolves Subscriptions, unpacks bundles, executes InstallPlans and runs catalogs.
    Catalog,
    /// Installs ClusterServiceVersions.
    Olm,
}

/// A Deployment of a controller of OLM. Other Deployments may have the same label.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct OlmDeployment {
    /// The name, namespace and versions.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: DeploymentSpec,
    /// The observed state.
    pub status: DeploymentStatus,
}

resource!(
    OlmDeployment as "Deployment",
    "deployments",
    "apps",
    "v1",
    NamespaceResourceScope
);

// === impl OlmController ===

impl OlmController {
    /// The controllers of OLM.
    pub const ALL: [Self; 2] = [Self::Catalog, Self::Olm];

    /// Returns the name of its Deployment.
    pub fn name(self) -> &'static str {
        match self {
            Self::Catalog => "catalog-operator",
            Self::Olm => "olm-operator",
        }
    }

    /// Selects its Deployment and its Pods.
    pub fn labeled(self) -> Selector {
        Expression::Equal(APP.to_owned(), self.name().to_owned()).into()
    }

    /// Selects the Deployments and the Pods of all controllers.
    pub fn all_labeled() -> Selector {
        let names = Self::ALL.iter().map(|it| it.name().to_owned());
        Expression::In(APP.to_owned(), names.collect()).into()
    }
}

// === impl OlmDeployment ===

impl OlmDeployment {
    /// Returns the number of desired replicas.
    pub fn replicas(&self) -> i32 {
        self.spec.replicas.unwrap_or(REPLICAS)
    }

    /// Returns true if it reports that too few replicas are available.
    pub fn is_unavailable(&self) -> bool {
        let said = Condition::about(&self.status.conditions, "Available");
        self.status.available_replicas <= 0 && said.is_some_and(Condition::is_false)
    }
}
