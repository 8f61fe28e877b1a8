//! The objects outside of a namespace that explain some of its problems.

use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_core_health::{Csv, CsvPhase, Item, Namespace, ObservedObjects};
use portolan_core_olm::{Node, OlmController, OlmDeployment, OperatorGroup, Pod};

use crate::Object;

/// The objects outside of a namespace that explain some of its problems.
#[derive(Debug, Clone, Default)]
pub struct Around {
    /// The OperatorGroups in other namespaces that claim an API of a failed operator.
    pub groups: ObservedObjects<Item<OperatorGroup>>,
    /// The controllers of OLM.
    pub olm: Vec<OlmPart>,
    /// The removals of operators by OperatorPolicies that wait for the deletion of CRDs.
    pub removals: Vec<Removal>,
    /// The cordoned nodes of the cluster.
    pub cordoned: ObservedObjects<Arc<Node>>,
}

/// An operator that an OperatorPolicy removes from a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// The namespace and the name of the OperatorPolicy.
    pub policy: (String, String),
    /// The namespace and the name of the ClusterServiceVersion.
    pub csv: (String, String),
    /// The custom resources that still have finalizers, according to the status of the
    /// OperatorPolicy. The removal waits for these finalizers.
    pub remaining: Vec<Object>,
}

/// A Deployment that may be a controller of OLM, with its Pods. Another Deployment can have the
/// same labels.
#[derive(Debug, Clone)]
pub struct OlmPart {
    /// The controller of OLM that has the name of the Deployment.
    pub controller: OlmController,
    /// The Deployment that may run the controller.
    pub deployment: Arc<OlmDeployment>,
    /// The Pods in the same namespace that have the labels of the Deployment.
    pub pods: Vec<Item<Pod>>,
}

// === impl Removal ===

impl Removal {
    /// Returns the removals by an OperatorPolicy that wait for the deletion of CRDs.
    pub fn of(policy: &OperatorPolicy) -> Vec<Self> {
        let metadata = &policy.metadata;
        let name = (
            metadata.namespace.clone().unwrap_or_default(),
            metadata.name.clone().unwrap_or_default(),
        );
        let status = policy.status.iter();
        let waits = status.clone().filter_map(|status| status.removal.as_ref());
        let remaining = waits.flat_map(|removal| &removal.remaining);
        let remaining: Vec<_> = remaining
            .map(|it| {
                Object::new(
                    it.kind.clone(),
                    it.namespace.clone().unwrap_or_default(),
                    it.name.clone(),
                )
            })
            .collect();
        let removed = status.flat_map(crate::own::removed);
        removed
            .map(|(namespace, csv)| Self {
                policy: name.clone(),
                csv: (namespace.to_owned(), csv.to_owned()),
                remaining: remaining.clone(),
            })
            .collect()
    }

    /// Returns the kind, namespace and name of the OperatorPolicy as text.
    pub(crate) fn policy(&self) -> String {
        let (namespace, name) = &self.policy;
        format!("OperatorPolicy {namespace}/{name}")
    }
}

// === impl Around ===

impl Around {
    /// Returns the OperatorGroups in other namespaces that claim an API of a failed operator of
    /// this namespace.
    pub fn claiming<'a>(
        namespace: &Namespace,
        all: impl Iterator<Item = &'a Arc<OperatorGroup>>,
    ) -> Vec<Item<OperatorGroup>> {
        let failed = namespace.csvs.objects.iter();
        let failed: Vec<&Csv> = failed
            .filter(|csv| csv.status.phase == CsvPhase::Failed)
            .collect();
        if failed.is_empty() {
            return Vec::new();
        }
        let others =
            all.filter(|group| group.metadata.namespace.as_deref() != Some(&*namespace.name));
        let claiming = others.filter(|group| {
            let claimed = group.provided_apis();
            let mut provided = failed.iter().flat_map(|csv| csv.provided_apis());
            provided.any(|api| claimed.contains(&*api))
        });
        claiming
            .map(|group| Item::from(Arc::clone(group)))
            .collect()
    }
}
