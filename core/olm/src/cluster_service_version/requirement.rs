//! What an operator needs, and whether it is there.

use serde::Deserialize;

/// One thing that an operator needs, and whether it is there.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct Requirement {
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// What OLM found, such as `Present` or `NotPresent`.
    pub status: String,
    /// The same for people.
    pub message: String,
    /// What it needs in turn, such as the permissions of a ServiceAccount.
    pub dependents: Vec<Dependent>,
    /// The group of its kind.
    pub group: String,
    /// The version of its kind.
    pub version: String,
}

/// One thing that a requirement needs in turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct Dependent {
    /// Its kind, such as `PolicyRule`.
    pub kind: String,
    /// What OLM found, such as `Satisfied`.
    pub status: String,
    /// The same for people; of a rule, the rule as JSON.
    pub message: String,
}
