//! The facts about a namespace that affect its InstallPlans.

use portolan_core_names::PackageName;

use crate::{Identity, Plan, PolicyId, Reason, Standing};

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
    /// The statement of each policy that works on it, or may, in any order.
    pub policies: Vec<Standing>,
    /// The reasons why facts may be missing or outdated; empty if they are complete.
    pub unseen: Vec<String>,
    /// The restraints on policies at this moment; empty where the caller does not ask about the
    /// moment.
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
    /// The reasons why it may not be approved.
    pub reasons: Vec<Reason>,
}

/// A requested operator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subscription {
    /// Its name.
    pub name: String,
    /// The package; None if that is no name of one.
    pub package: Option<PackageName>,
    /// True if its InstallPlans need an approval.
    pub is_manual: bool,
    /// The bundle that is being installed, or was installed last; empty if there never was one.
    pub current: String,
    /// The bundle that is installed; empty if none is.
    pub installed: String,
}

/// A ClusterServiceVersion that is in the namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its name, which is that of the bundle.
    pub name: String,
    /// Its identity; None if its properties do not tell it.
    pub identity: Option<Identity>,
}
