//! The observed policy and its objects.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::{Contest, OperatorPolicy, PrunedField, Standing};
use portolan_core_olm::{
    CatalogSource, ClusterServiceVersion, CustomResourceDefinition, InstallPlan, Namespace,
    OperatorGroup, Subscription,
};

/// The observed policy and its objects.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// The stored policy, with its status.
    pub policy: Arc<OperatorPolicy>,
    /// Its standing among all policies; None if it names no package.
    pub standing: Option<Standing>,
    /// The other policies that work on its namespace, or may, by namespace and name.
    pub neighbors: Vec<Standing>,
    /// True if a PolicyBinding names this policy or another one of its namespace. InstallPlans then
    /// wait for approval, even if the policies allow everything.
    pub is_bound: bool,
    /// The write mode for this policy.
    pub write_mode: WriteMode,
    /// The fields that another field manager keeps reverting.
    pub contested: Vec<Contest>,
    /// The fields that were written last and that the API server did not keep.
    pub pruned: Vec<PrunedField>,
    /// The kinds whose objects may be out of date.
    pub stale: Vec<StaleKind>,
    /// True if the cluster has the CRDs of OLM.
    pub has_olm: bool,
    /// True if the CRD of policies is being deleted or is gone.
    pub is_crd_terminating: bool,
    /// The default namespace for operators whose policy and catalog name none.
    pub default_namespace: Option<String>,
    /// The Subscriptions that the policy created before it named another one.
    pub abandoned: Vec<Arc<Subscription>>,
    /// The namespace that the policy works on; None while it is unknown.
    pub namespace: Option<NamespaceState>,
}

/// The permission to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteMode {
    /// Writes are allowed.
    ReadWrite,
    /// Writes are not allowed. Holds the reason, as a full sentence.
    ReadOnly(String),
}

/// A kind whose objects may be out of date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleKind {
    /// The kind, such as `Subscription`.
    pub kind: &'static str,
    /// The time since when its objects were not observed; None if they never were.
    pub since: Option<Timestamp>,
    /// The reason.
    pub why: String,
}

/// A namespace and the observed objects of its operators.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NamespaceState {
    /// Its name.
    pub name: String,
    /// The Namespace itself; None if it does not exist.
    pub object: Option<Arc<Namespace>>,
    /// Its OperatorGroups, by name.
    pub groups: Vec<Arc<OperatorGroup>>,
    /// Its Subscriptions, by name.
    pub subscriptions: Vec<Arc<Subscription>>,
    /// Its InstallPlans, by name.
    pub plans: Vec<Arc<InstallPlan>>,
    /// Its ClusterServiceVersions by name, without copies.
    pub csvs: Vec<Arc<ClusterServiceVersion>>,
    /// The ClusterServiceVersions of the same package in other namespaces that serve all
    /// namespaces, by namespace and name.
    pub elsewhere: Vec<Arc<ClusterServiceVersion>>,
    /// For each of the CRDs, the first ClusterServiceVersion of another namespace that also owns
    /// it, by namespace and name.
    pub owners: Vec<Arc<ClusterServiceVersion>>,
    /// The CRDs with OLM's label of this operator, and those that its
    /// ClusterServiceVersions own, by name.
    pub crds: Vec<Arc<CustomResourceDefinition>>,
    /// The CatalogSources that the policy and its Subscription name.
    pub catalogs: Vec<Arc<CatalogSource>>,
    /// The custom resources of CRDs that will be removed; empty unless a removal needs them.
    pub instances: Vec<Instances>,
}

/// The custom resources of one CRD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instances {
    /// The name of the CRD.
    pub crd: String,
    /// The existing custom resources, or the reason why they are unknown.
    pub found: Result<Vec<Instance>, String>,
    /// True if there are more than were listed.
    pub has_more: bool,
}

/// A custom resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// Its group and version.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace; None if it is cluster-scoped.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// The finalizers that delay its deletion.
    pub finalizers: Vec<String>,
}

// === impl Observed ===

impl Observed {
    /// Returns the state of a policy without neighbors, on a cluster with OLM, before other objects
    /// are observed.
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
                "the API server has not shown any {kind} since {since:.0}: {why}"
            ),
            None => write!(f, "the API server has not shown any {kind} yet: {why}"),
        }
    }
}
