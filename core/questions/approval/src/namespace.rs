//! The facts about a namespace that affect its InstallPlans.

use portolan_core_names::PackageName;

use crate::{BundleIdentity, Plan, PolicyId, Reason, Standing};

/// The facts about a namespace that affect its InstallPlans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Namespace {
    /// Its name.
    pub name: String,
    /// Its InstallPlans, in any order.
    pub plans: Vec<Plan>,
    /// Its Subscriptions, in any order.
    pub subscriptions: Vec<Subscription>,
    /// The operators installed in it, in any order. Copies of operators from elsewhere are not
    /// included.
    pub installed: Vec<Installed>,
    /// The statement of each policy that applies to it or may apply, in any order.
    pub policies: Vec<Standing>,
    /// The reasons why facts may be missing or outdated; empty if they are complete.
    pub unseen: Vec<String>,
    /// The restraints on policies at this moment; empty if the caller does not consider the time.
    pub restraints: Vec<Restraint>,
}

/// A restraint that keeps a policy from approving a bundle that it allows, at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restraint {
    /// The InstallPlan.
    pub plan: String,
    /// The bundle.
    pub bundle: String,
    /// The policy that allows it.
    pub policy: PolicyId,
    /// The reasons why the approval must wait; empty if it need not.
    pub reasons: Vec<Reason>,
}

/// A requested operator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subscription {
    /// Its name.
    pub name: String,
    /// The package; None for an invalid package name.
    pub package: Option<PackageName>,
    /// True if its InstallPlans need an approval.
    pub is_manual: bool,
    /// The bundle that is being installed, or that was installed last; empty if there was none.
    pub current: String,
    /// The installed bundle; empty if nothing is installed.
    pub installed: String,
}

/// A ClusterServiceVersion in the namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The name, which is also the bundle name.
    pub name: String,
    /// The identity; None if its properties do not contain one.
    pub identity: Option<BundleIdentity>,
}
