//! OperatorGroups: which namespaces the operators of one watch.

use std::collections::BTreeSet;

use crate::{Condition, Observed};

/// What makes a namespace one that OLM installs operators into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorGroup {
    /// Which object.
    pub observed: Observed,
    /// The namespaces that its operators shall watch.
    pub targets: Targets,
    /// The ServiceAccount that OLM shall act as; empty for its own.
    pub service_account: String,
    /// What OLM says of it.
    pub conditions: Vec<Condition>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
}

/// Which namespaces operators watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// All of them.
    All,
    /// These. What a selector selects is what OLM writes into the status.
    These(BTreeSet<String>),
    /// Those that a selector selects, which OLM has not written down yet.
    Selected,
}
