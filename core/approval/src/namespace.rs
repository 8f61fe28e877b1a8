//! Everything that bears on the InstallPlans of a namespace.

use portolan_core_names::PackageName;

use crate::{Identity, Plan, PolicyId, Reason, Standing};

/// Everything that bears on the InstallPlans of a namespace.
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
    /// Why it is not known whether this is all, and as it is now; empty if it is.
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
    /// Why it may not be approved, if there is anything.
    pub reasons: Vec<Reason>,
}

/// A wish for an operator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subscription {
    /// Its name.
    pub name: String,
    /// The package; None if that is no name of one.
    pub package: Option<PackageName>,
    /// Whether its InstallPlans wait for an approval.
    pub is_manual: bool,
    /// The bundle that is on its way, or was the last that came; empty if there never was one.
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
