//! The `Deployment` of each controller of OLM v0.

use kube_core::{Expression, ObjectMeta, Selector};
use serde::Deserialize;

use crate::deployment::REPLICAS;
use crate::resource::resource;
use crate::{Condition, DeploymentSpec, DeploymentStatus};

/// The label on the Deployment and the Pods of a controller of OLM, with the name of the
/// controller.
const APP: &str = "app";

/// A controller of OLM v0. Its Deployment has the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OlmController {
    /// The controller that resolves Subscriptions, unpacks bundles, executes InstallPlans and runs
    /// catalogs.
    Catalog,
    /// The controller that installs ClusterServiceVersions.
    Olm,
}

/// A Deployment with the label of a controller of OLM. A Deployment that does not belong to OLM may
/// have the same label.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct OlmDeployment {
    /// The metadata, such as the name, the namespace and the resource version.
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

    /// Returns the name of the controller and of its Deployment.
    pub fn name(self) -> &'static str {
        match self {
            Self::Catalog => "catalog-operator",
            Self::Olm => "olm-operator",
        }
    }

    /// Returns a selector for the Deployment and the Pods of the controller.
    pub fn labeled(self) -> Selector {
        Expression::Equal(APP.to_owned(), self.name().to_owned()).into()
    }

    /// Returns a selector for the Deployments and the Pods of all controllers of OLM.
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

    /// Returns true if the Deployment reports that it is unavailable and has no available replica.
    pub fn is_unavailable(&self) -> bool {
        let said = Condition::about(&self.status.conditions, "Available");
        self.status.available_replicas <= 0 && said.is_some_and(Condition::is_false)
    }
}
