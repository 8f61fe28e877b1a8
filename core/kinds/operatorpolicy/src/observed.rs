//! The state of the cluster that the controller observes for a policy.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::{Contest, OperatorPolicy, PrunedField, Standing};
use portolan_core_olm::{
    CatalogSource, ClusterServiceVersion, CustomResourceDefinition, InstallPlan, Namespace,
    OperatorGroup, Subscription,
};

/// The observed state of a policy and its objects.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// The stored policy, with its status.
    pub policy: Arc<OperatorPolicy>,
    /// The versions that the policy allows, considering all other policies. None if the policy
    /// names no package.
    pub standing: Option<Standing>,
    /// The other policies that manage or may manage this namespace, sorted by namespace and name.
    pub neighbors: Vec<Standing>,
    /// True if a PolicyBinding names this policy or another policy of its namespace. In this case,
    /// InstallPlans wait for approval, even if the policies allow all versions.
    pub is_bound: bool,
    /// The write mode for this policy.
    pub write_mode: WriteMode,
    /// The fields that another field manager reverts repeatedly.
    pub contested: Vec<Contest>,
    /// The fields that the API server dropped from the last write.
    pub pruned: Vec<PrunedField>,
    /// The kinds whose observed objects may be stale.
    pub stale: Vec<StaleKind>,
    /// True if the cluster has the CRDs of OLM.
    pub has_olm: bool,
    /// True if the CRD of OperatorPolicies is being deleted or does not exist.
    pub is_crd_terminating: bool,
    /// The namespace of operators for which neither the policy nor the catalog sets a namespace.
    /// None if the controller has no such default.
    pub default_namespace: Option<String>,
    /// The Subscriptions that the policy created but no longer names in its spec.
    pub abandoned: Vec<Arc<Subscription>>,
    /// The namespace of the policy's operator, with its objects. None while the namespace is
    /// unknown.
    pub namespace: Option<NamespaceState>,
}

/// The permission to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteMode {
    /// Writes are allowed.
    ReadWrite,
    /// Writes are forbidden. Contains the reason as a full sentence.
    ReadOnly(String),
}

/// A kind whose observed objects may be stale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleKind {
    /// The kind, such as `Subscription`.
    pub kind: &'static str,
    /// The time of the last successful observation of this kind. None if the kind was never
    /// observed.
    pub since: Option<Timestamp>,
    /// The reason why the objects may be stale.
    pub why: String,
}

/// A namespace, with its objects that matter for operators.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NamespaceState {
    /// The name of the namespace.
    pub name: String,
    /// The Namespace itself. None if it does not exist.
    pub object: Option<Arc<Namespace>>,
    /// The OperatorGroups of the namespace, by name.
    pub groups: Vec<Arc<OperatorGroup>>,
    /// The Subscriptions of the namespace, by name.
    pub subscriptions: Vec<Arc<Subscription>>,
    /// The InstallPlans of the namespace, by name.
    pub plans: Vec<Arc<InstallPlan>>,
    /// The ClusterServiceVersions of the namespace, by name. Copies that OLM made of
    /// ClusterServiceVersions in other namespaces are omitted.
    pub csvs: Vec<Arc<ClusterServiceVersion>>,
    /// The ClusterServiceVersions of the same package that are installed in other namespaces and
    /// watch all namespaces. Sorted by namespace and name.
    pub elsewhere: Vec<Arc<ClusterServiceVersion>>,
    /// For each CRD of the operator, the first ClusterServiceVersion of another namespace that also
    /// owns the CRD. Sorted by namespace and name.
    pub owners: Vec<Arc<ClusterServiceVersion>>,
    /// The CRDs with OLM's label of this operator, and the CRDs that its ClusterServiceVersions
    /// own, sorted by name.
    pub crds: Vec<Arc<CustomResourceDefinition>>,
    /// The CatalogSources that the spec of the policy or its Subscription names.
    pub catalogs: Vec<Arc<CatalogSource>>,
    /// The custom resources of CRDs that a removal deletes. Empty if no removal needs them.
    pub instances: Vec<Instances>,
}

/// The custom resources of one CRD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instances {
    /// The name of the CRD.
    pub crd: String,
    /// The existing custom resources. If they cannot be listed, the reason.
    pub found: Result<Vec<Instance>, String>,
    /// True if the CRD has more custom resources than `found` contains.
    pub has_more: bool,
}

/// A custom resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The group and version.
    pub api_version: String,
    /// The kind of the object.
    pub kind: String,
    /// The namespace of the custom resource. None if it is cluster-scoped.
    pub namespace: Option<String>,
    /// The name of the custom resource.
    pub name: String,
    /// The finalizers that delay the deletion of the custom resource.
    pub finalizers: Vec<String>,
}

// === impl Observed ===

impl Observed {
    /// Returns the observed state of a policy with no other policies, on a cluster with OLM. No
    /// other objects are observed yet.
    pub fn alone(policy: Arc<OperatorPolicy>) -> Self {
        Self {
            policy,
            standing: None,
            neighbors: Vec::new(),
            is_bound: false,
            write_mode: WriteMode::ReadWrite,
            contested: Vec::new(),
            pruned: Vec::new(),
            stale: Vec::new(),
            has_olm: true,
            is_crd_terminating: false,
            default_namespace: None,
            abandoned: Vec::new(),
            namespace: None,
        }
    }
}

// === impl StaleKind ===

impl fmt::Display for StaleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, since, why } = self;
        match since {
            Some(since) => write!(
                f,
                "the API server has not listed any {kind} since {since:.0}: {why}"
            ),
            None => write!(f, "the API server has not listed any {kind} yet: {why}"),
        }
    }
}
