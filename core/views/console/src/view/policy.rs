//! Views of plans, policies and Installs.

use super::{ObjectTable, Origin, Seen, ShownObject, State};

/// A plan that installs bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The system that executes the plan.
    pub origin: Origin,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The phase from the status of the plan.
    pub phase: String,
    /// The state of the plan, including its approval.
    pub state: State,
    /// The reasons why the plan is not approved.
    pub why: Vec<String>,
    /// The names of the bundles that the plan installs.
    pub bundles: Vec<String>,
    /// The remedies: changes after which the plan would be approved.
    pub fixes: Vec<String>,
}

/// The data of the page of policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policies {
    /// The policies of all kinds.
    pub all: Seen<Vec<Policy>>,
    /// The calendar: the times in the next week at which upgrade policies permit upgrades. None if
    /// no upgrade policy applies to any operator.
    pub calendar: Option<ObjectTable>,
}

/// A policy that permits or blocks upgrades, as a row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The identity of the policy object.
    pub id: ShownObject,
    /// The objects to which the policy applies: a package, operators or PolicyBindings.
    pub about: String,
    /// The rules of the policy, as sentences.
    pub says: Vec<String>,
    /// The state. For an OperatorPolicy, this is its compliance. For other policies, this is their
    /// validity.
    pub state: State,
    /// The problem of the policy. Empty if the policy has no problem.
    pub trouble: String,
}

/// An Install, as a row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    /// The name.
    pub name: String,
    /// The requested content of the Install, one text for each line.
    pub content: Vec<String>,
    /// The approval state, such as `Unapproved`.
    pub approval: String,
    /// The state.
    pub state: State,
    /// The first reason for the state.
    pub why: String,
}
