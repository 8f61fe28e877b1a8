//! The facts about a namespace that affect its InstallPlans.

use portolan_core_names::PackageName;

use crate::{BundleIdentity, Plan, PolicyId, Reason, Standing};

/// The facts about a namespace that affect the review of its InstallPlans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Namespace {
    /// The name of the namespace.
    pub name: String,
    /// The InstallPlans of the namespace, in any order.
    pub plans: Vec<Plan>,
    /// The Subscriptions of the namespace, in any order.
    pub subscriptions: Vec<Subscription>,
    /// The operators installed in the namespace, in any order. ClusterServiceVersions that OLM
    /// copied from other namespaces are not included.
    pub installed: Vec<Installed>,
    /// The statements of each policy that applies or may apply to the namespace, in any order.
    pub policies: Vec<Standing>,
    /// The reasons why facts may be missing or stale. Empty if all facts are complete and current.
    pub unseen: Vec<String>,
    /// The restraints on policies at this time. Empty if the caller ignores time windows and rules.
    pub restraints: Vec<Restraint>,
}

/// A time window or rule that prevents a policy from approving an allowed bundle now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restraint {
    /// The name of the InstallPlan.
    pub plan: String,
    /// The name of the bundle that the restraint is about.
    pub bundle: String,
    /// The policy that allows the bundle.
    pub policy: PolicyId,
    /// The reasons why the approval must wait. Empty if the approval can proceed.
    pub reasons: Vec<Reason>,
}

/// A Subscription, which requests an operator from OLM.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subscription {
    /// The name of the Subscription.
    pub name: String,
    /// The package. None for an invalid package name.
    pub package: Option<PackageName>,
    /// True if the InstallPlans of the Subscription must be approved by a user or controller.
    pub is_manual: bool,
    /// The bundle in `status.currentCSV`: OLM installs this bundle now, or has installed it last.
    /// Empty if no such bundle exists.
    pub current: String,
    /// The installed bundle. Empty if no bundle is installed.
    pub installed: String,
}

/// A ClusterServiceVersion in the namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The name of the ClusterServiceVersion, which is also the bundle name.
    pub name: String,
    /// The identity of the bundle. None if the properties contain no identity.
    pub identity: Option<BundleIdentity>,
}
