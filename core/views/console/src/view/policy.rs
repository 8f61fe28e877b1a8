//! Plans, and the policies that approve them.

use super::{Origin, State};

/// A plan that installs something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The system that carries out the plan.
    pub origin: Origin,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The phase in the status of the plan.
    pub phase: String,
    /// The approval state.
    pub state: State,
    /// The reasons why the plan is not approved.
    pub why: Vec<String>,
    /// The bundles that it installs.
    pub bundles: Vec<String>,
    /// The changes that would approve the plan.
    pub fixes: Vec<String>,
}

/// A policy that permits or blocks upgrades.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The kind of the object.
    pub kind: String,
    /// The namespace of the policy. Empty if the policy is cluster-scoped.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The package or the bindings to which the policy applies.
    pub about: String,
    /// The statements of the policy, as sentences.
    pub says: Vec<String>,
    /// The state: the compliance with an OperatorPolicy, or the validity of another policy.
    pub state: State,
    /// The problem of the policy. Empty if the policy has no problem.
    pub trouble: String,
    /// The times in the next week at which the policy permits upgrades. None if the policy does not
    /// depend on the time.
    pub windows: Option<Vec<Window>>,
}

/// A time window for upgrades, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The day on which the window opens.
    pub day: String,
    /// The time at which the window opens.
    pub opens: String,
    /// The time at which the window closes.
    pub closes: String,
}
