//! The observed policy and its objects.

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
    /// The relation of the policy to all other policies. None if the policy names no package.
    pub standing: Option<Standing>,
    /// The other policies that manage or may manage this namespace, sorted by namespace and name.
    pub neighbors: Vec<Standing>,
    /// True if a PolicyBinding names this policy or another policy of its namespace. Then
    /// InstallPlans wait for approval, even if the policies allow all versions.
    pub is_bound: bool,
    /// The write mode for this policy.
    pub write_mode: WriteMode,
    /// The fields that another field manager reverts repeatedly.
    pub contested: Vec<Contest>,
    /// The fields of the last write that the API server dropped.
    pub pruned: Vec<PrunedField>,
    /// The kinds whose observed objects may be stale.
    pub stale: Vec<StaleKind>,
    /// True if the cluster has the CRDs of OLM.
    pub has_olm: bool,
    /// True if the CRD of OperatorPolicies is being deleted or does not exist.
    pub is_crd_terminating: bool,
    /// The default namespace for operators without a namespace in the policy or in the catalog.
    /// None if no default is configured.
    pub default_namespace: Option<String>,
    /// The Subscriptions that the policy created and no longer refers to.
    pub abandoned: Vec<Arc<Subscription>>,
    /// The namespace of the policy's operator. None while it is unknown.
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
    /// The time since which objects of this kind have not been observed. None if they were never
    /// observed.
    pub since: Option<Timestamp>,
    /// The reason.
    pub why: String,
}

/// A namespace, with the observed objects of its operators.
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
    /// Its InstallPlans, by name.
    pub plans: Vec<Arc<InstallPlan>>,
    /// The ClusterServiceVersions of the namespace, by name. Copies are omitted.
    pub csvs: Vec<Arc<ClusterServiceVersion>>,
    /// The ClusterServiceVersions of the same package in other namespaces that watch all
    /// namespaces, sorted by namespace and name.
    pub elsewhere: Vec<Arc<ClusterServiceVersion>>,
    /// For each CRD of the operator, the first ClusterServiceVersion in another namespace that also
    /// owns the CRD, sorted by namespace and name.
    pub owners: Vec<Arc<ClusterServiceVersion>>,
    /// The CRDs with OLM's label of this operator, and the CRDs that its ClusterServiceVersions
    /// own, sorted by name.
    pub crds: Vec<Arc<CustomResourceDefinition>>,
    /// The CatalogSources in the spec of the policy and in its Subscription.
    pub catalogs: Vec<Arc<CatalogSource>>,
    /// The custom resources of CRDs that will be removed. Empty unless a removal needs them.
    pub instances: Vec<Instances>,
}

/// The custom resources of one CRD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instances {
    /// The name of the CRD.
    pub crd: String,
    /// The existing custom resources, or the reason why they are unknown.
    pub found: Result<Vec<Instance>, String>,
    /// True if more custom resources exist than were listed.
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
    /// Returns the observed state of a policy without neighbors, on a cluster with OLM, before
    /// other objects are observed.
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
