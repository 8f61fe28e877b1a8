//! Plans, the policies that approve them, and Installs.

use super::{ObjectTable, Origin, Seen, ShownObject, State};

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

/// Policies, and the times at which they permit upgrades.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policies {
    /// The policies.
    pub all: Seen<Vec<Policy>>,
    /// The operators with the times of the next week at which they may be upgraded. None if no
    /// upgrade policy applies to an operator.
    pub calendar: Option<ObjectTable>,
}

/// A policy that permits or blocks upgrades.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The policy.
    pub id: ShownObject,
    /// The package, the operators or the bindings to which the policy applies.
    pub about: String,
    /// The statements of the policy, as sentences.
    pub says: Vec<String>,
    /// The state: the compliance with an OperatorPolicy, or the validity of another policy.
    pub state: State,
    /// The problem of the policy. Empty if the policy has no problem.
    pub trouble: String,
}

/// An Install, in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    /// The name.
    pub name: String,
    /// The requested content, one line for each entry.
    pub content: Vec<String>,
    /// The approval, such as `Unapproved`.
    pub approval: String,
    /// The state.
    pub state: State,
    /// The first reason for the state.
    pub why: String,
}
