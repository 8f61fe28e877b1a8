//! Requirements: what an operator needs, as OLM has found it.

/// What OLM found of one thing that an operator needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Requirement {
    /// The kind of the thing.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// What OLM found, in its word: `Present`, `NotPresent`, `PresentNotSatisfied`, ...
    pub status: String,
    /// What OLM found, in its sentence.
    pub message: String,
    /// What the thing in turn needs, such as the permissions of a ServiceAccount.
    pub dependents: Vec<Dependent>,
}

/// What OLM found of one thing that a requirement needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependent {
    /// Its kind, such as `PolicyRule`.
    pub kind: String,
    /// What OLM found, in its word: `Satisfied`, `NotSatisfied`.
    pub status: String,
    /// What OLM found, in its sentence: of a rule, `namespaced rule:{"verbs":...}`.
    pub message: String,
}
