//! Views of objects that are not operators: plans, policies and Installs.

use super::{Cause, Seen, State};
use crate::place::ConsolePage;

/// The kind of an object that has a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    /// An InstallPlan of OLM.
    OlmPlan,
    /// An InstallPlan of Portolan.
    Plan,
    /// An OperatorPolicy of Open Cluster Management.
    OperatorPolicy,
    /// A Policy, which restricts the times of upgrades.
    Policy,
    /// A PolicyBinding, which selects the operators to which Policies apply.
    PolicyBinding,
    /// An Install.
    Install,
}

/// The identity of an object that has a page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShownObject {
    /// The kind.
    pub kind: ObjectKind,
    /// The namespace. Empty if the object is cluster-scoped.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// The data of the page of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPage {
    /// The object.
    pub id: ShownObject,
    /// The state.
    pub state: State,
    /// The reason for the state.
    pub why: String,
    /// Single facts, each with a label and a value.
    pub facts: Vec<(&'static str, ObjectCell)>,
    /// The root cause of the problem. None if the object has no problem.
    pub cause: Seen<Option<Cause>>,
    /// The tables below the single facts.
    pub tables: Vec<ObjectTable>,
}

/// A table on the page of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectTable {
    /// The heading of the section that contains the table.
    pub title: &'static str,
    /// The caption of the table.
    pub caption: String,
    /// The titles of the columns.
    pub columns: Vec<String>,
    /// The rows. Each row has one cell for each column.
    pub rows: Vec<Vec<ObjectCell>>,
    /// The sentence that replaces an empty table.
    pub none: &'static str,
}

/// The content of a table cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectCell {
    /// A text.
    Text(String),
    /// Several lines of text.
    Lines(Vec<String>),
    /// A state.
    State(State),
    /// Links to pages, each with its link text.
    Links(Vec<(ConsolePage, String)>),
}

// === impl ObjectKind ===

impl ObjectKind {
    /// Every kind.
    pub(crate) const ALL: [Self; 6] = [
        Self::OlmPlan,
        Self::Plan,
        Self::OperatorPolicy,
        Self::Policy,
        Self::PolicyBinding,
        Self::Install,
    ];

    /// Returns the value of the URL parameter.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::OlmPlan => "olm-plan",
            Self::Plan => "plan",
            Self::OperatorPolicy => "operator-policy",
            Self::Policy => "policy",
            Self::PolicyBinding => "policy-binding",
            Self::Install => "install",
        }
    }

    /// Returns the text that is shown to users.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::OlmPlan => "InstallPlan of OLM",
            Self::Plan => "InstallPlan of Portolan",
            Self::OperatorPolicy => "OperatorPolicy",
            Self::Policy => "Policy",
            Self::PolicyBinding => "PolicyBinding",
            Self::Install => "Install",
        }
    }
}

// === impl ShownObject ===

impl ShownObject {
    /// Creates the identity of an object.
    pub fn of(kind: ObjectKind, namespace: &str, name: &str) -> Self {
        Self {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    /// Returns the link to the page of the object, with its name as the text.
    pub fn link(self) -> (ConsolePage, String) {
        let name = self.name.clone();
        (ConsolePage::Object(self), name)
    }
}

// === impl ObjectCell ===

impl ObjectCell {
    /// Creates a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Creates a link to the page of an object.
    pub fn object(id: ShownObject) -> Self {
        Self::Links(vec![id.link()])
    }
}
