//! Conditions, those of OLM and of Kubernetes, and those that operators have of themselves.

use crate::Observed;

/// What a controller says of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Condition {
    /// What it is about, such as `Available`.
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// Why, in a word.
    pub reason: String,
    /// Why, for people.
    pub message: String,
    /// The generation that it was said of; 0 if it is not said.
    pub generation: i64,
}

/// What an operator says of itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperatorCondition {
    /// Which object. It has the name of the ClusterServiceVersion.
    pub observed: Observed,
    /// The newest wish that there is.
    pub generation: i64,
    /// What the administrator says instead of the operator.
    pub overrides: Vec<Condition>,
    /// What the operator says, as OLM took it over.
    pub conditions: Vec<Condition>,
}

// === impl Condition ===

impl Condition {
    /// Whether it is said to be so.
    pub(crate) fn is_true(&self) -> bool {
        self.status == "True"
    }

    /// Whether it is said not to be so.
    pub(crate) fn is_false(&self) -> bool {
        self.status == "False"
    }

    /// What is said, or the word for it where there is no sentence.
    pub(crate) fn words(&self) -> &str {
        match self.message.trim() {
            "" => &self.reason,
            message => message,
        }
    }
}

/// What is said about something. Kubernetes has one condition of a kind; of several it is the first
/// in order, which says False before True.
pub(crate) fn about<'a>(conditions: &'a [Condition], kind: &str) -> Option<&'a Condition> {
    conditions
        .iter()
        .filter(|condition| condition.kind == kind)
        .min()
}
