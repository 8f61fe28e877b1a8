//! What a change would come to.

/// What would change, and what is to be told of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// What would change, by name.
    pub steps: Vec<Step>,
    /// Why it cannot be; then nothing would change.
    pub errors: Vec<String>,
    /// What should be looked at before it is done.
    pub warnings: Vec<String>,
    /// What would be done besides what was asked for.
    pub notes: Vec<String>,
}

/// The change of one Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The name of the Operator.
    pub name: String,
    /// The version to come; empty if the Operator goes.
    pub version: String,
    /// The version before; empty if the Operator is new, or has none yet.
    pub previous: String,
    /// The versions in between, the lowest first.
    pub between: Vec<String>,
    /// What would do it.
    pub command: String,
}
