//! The objects of a namespace that affect the resolution by OLM.

use std::collections::BTreeSet;

use portolan_core_catalog::Catalog;
use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName};
use portolan_core_olm::Approval;

use crate::Csv;

/// A namespace from a cluster dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// The name of the namespace.
    pub name: String,
    /// The OperatorGroups of the namespace. OLM requires exactly one.
    pub operator_groups: Vec<OperatorGroup>,
    /// The Subscriptions of the namespace, in any order.
    pub subscriptions: Vec<Subscription>,
    /// The ClusterServiceVersions of the namespace, in any order. Copies from other namespaces are
    /// excluded.
    pub csvs: Vec<Csv>,
    /// The names of the ClusterServiceVersions that OLM copied to this namespace.
    pub copied: BTreeSet<BundleName>,
}

/// The fields of an OperatorGroup that affect the resolution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OperatorGroup {
    /// True if OLM ignores global catalogs in this namespace. The annotation
    /// `olm.operatorframework.io/exclude-global-namespace-resolution` is `"true"`.
    pub excludes_global_catalogs: bool,
    /// True if the upgrade strategy is `TechPreviewUnsafeFailForward`.
    pub fails_forward: bool,
}

/// The fields of a Subscription that affect the resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// The name of the Subscription.
    pub name: String,
    /// The package, from `spec.name`.
    pub package: PackageName,
    /// `spec.channel`. None matches any channel.
    pub channel: Option<ChannelName>,
    /// The catalog, from `spec.sourceNamespace` and `spec.source`.
    pub catalog: CatalogName,
    /// The bundle to install first, from `spec.startingCSV`.
    pub starting_csv: Option<BundleName>,
    /// The installed bundle, from `status.installedCSV`.
    pub installed_csv: Option<BundleName>,
    /// `status.currentCSV`: the bundle that OLM selected last.
    pub current_csv: Option<BundleName>,
    /// The approval mode of InstallPlans, from `spec.installPlanApproval`.
    pub approval: Approval,
    /// True if `status.installPlanRef` is set.
    pub has_plan: bool,
    /// True if the condition `InstallPlanFailed` reports that the InstallPlan has failed. With the
    /// fail-forward strategy, OLM then ignores the plan.
    pub plan_failed: bool,
}

/// A CatalogSource of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source<'a> {
    /// The namespace and name of the CatalogSource.
    pub name: CatalogName,
    /// `spec.priority`. OLM prefers the higher priority.
    pub priority: i64,
    /// The content of the catalog. An error contains the reason why the catalog cannot be queried,
    /// in OLM's text if this text is known.
    pub content: Result<&'a Catalog, String>,
}

// === impl Subscription ===

impl Subscription {
    /// Returns a new Subscription without status, for any channel and with automatic approval.
    pub fn new(name: &str, package: PackageName, catalog: CatalogName) -> Self {
        Self {
            name: name.to_owned(),
            package,
            channel: None,
            catalog,
            starting_csv: None,
            installed_csv: None,
            current_csv: None,
            approval: Approval::Automatic,
            has_plan: false,
            plan_failed: false,
        }
    }
}
