//! The diagnosis of an operator.

use crate::{Code, Object, Untold};

/// The diagnosis of one operator: what is wrong, which object is to blame, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The operator.
    pub subject: Subject,
    /// The state of the operator: the worst that any of its causes makes of it.
    pub state: State,
    /// The causes, from the root on; None if there is nothing to say.
    pub cause: Option<Cause>,
    /// The other operators of the namespace that suffer from a guilty object of this one, by their
    /// subjects.
    pub victims: Vec<Object>,
    /// The statements of OLM meanwhile that mislead.
    pub meanwhile: Vec<Saying>,
    /// The facts that could not be known, one sentence each.
    pub unknowns: Vec<String>,
    /// The bundle that the catalog must be queried for to complete the diagnosis.
    pub untold: Option<Untold>,
}

/// An operator by its names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// Its Subscription or, without one, its newest ClusterServiceVersion.
    pub object: Object,
    /// The package; empty if unknown.
    pub package: String,
    /// The newest ClusterServiceVersion; empty without one.
    pub csv: String,
}

/// The state of an operator, the better before the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Nothing is wrong, and no action is needed.
    Well,
    /// Work is in progress and finishes by itself, or the state is unknown.
    Working,
    /// A person has to let something go ahead.
    Waiting,
    /// OLM does not bring what it is asked for, and will not. What runs works on.
    Stuck,
    /// The installed operator does not work.
    Broken,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// For programs.
    pub code: Code,
    /// The state that this cause alone gives the operator.
    pub state: State,
    /// One sentence for a person, or a few.
    pub message: String,
    /// The object that is to blame: never one that suffers from another.
    pub guilty: Object,
    /// The cure for it.
    pub cure: Cure,
    /// Additional commands, in this order, for a cause that someone else must cure.
    pub steps: Vec<Step>,
    /// The operator whose trouble it is, by its subject, where this one only suffers from it.
    pub blocked_by: Option<Object>,
    /// The evidence for it.
    pub evidence: Vec<Evidence>,
    /// The other causes: those that follow from it, and those that have to wait until it is cured.
    pub below: Vec<Cause>,
}

/// The cure for a cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cure {
    /// A command or a change here, the best first; never empty.
    Fixable(Vec<Fix>),
    /// Someone else must act; no change here helps. Holds who must act, and how.
    External(String),
    /// Time: nothing has to be done.
    Time,
}

/// A change that cures a cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Its effect, a sentence.
    pub message: String,
    /// The change, exactly.
    pub change: Change,
    /// Its risk, a sentence.
    pub risk: String,
}

/// A command that cures nothing by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its purpose.
    pub purpose: Purpose,
    /// The same for a person, a sentence without its end.
    pub message: String,
    /// One line for a shell.
    pub command: String,
}

/// The purpose of a command that cures nothing by itself; the one that is typed first comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// To look at what is wrong.
    Look,
    /// Make OLM reconcile again after someone has acted.
    Again,
    /// Make OLM reinstall the operator.
    Anew,
    /// To see that it is cured.
    Check,
}

/// The exact change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// One line for a shell.
    Command(String),
    /// A manifest for `kubectl apply -f -`.
    Manifest(String),
}

/// Something that was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The object that it was read from.
    pub object: Object,
    /// The field, as a path; empty for the object as a whole.
    pub field: String,
    /// The value of the field.
    pub value: String,
}

/// Something that OLM says and that misleads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    /// The statement, and where it was read.
    pub said: Evidence,
    /// The reason why it misleads, a sentence.
    pub message: String,
}

// === impl State ===

impl State {
    /// The state in one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Well => "Well",
            Self::Working => "Working",
            Self::Waiting => "Waiting",
            Self::Stuck => "Stuck",
            Self::Broken => "Broken",
        }
    }
}

// === impl Cause ===

impl Cause {
    /// Returns true if the guilty object does not exist.
    pub fn is_guilty_missing(&self) -> bool {
        let mut evidence = self.evidence.iter();
        evidence.any(|read| read.object == self.guilty && read.field.is_empty())
    }
}

// === impl Purpose ===

impl Purpose {
    /// Returns the purpose as one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Look => "Look",
            Self::Again => "Again",
            Self::Anew => "Anew",
            Self::Check => "Check",
        }
    }
}

// === impl Cure ===

impl Cure {
    /// The kind of it in one word.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Fixable(_) => "Fixable",
            Self::External(_) => "External",
            Self::Time => "Time",
        }
    }

    /// The fixes, the best first; none if it is not `Fixable`.
    pub fn fixes(&self) -> &[Fix] {
        match self {
            Self::Fixable(fixes) => fixes,
            Self::External(_) | Self::Time => &[],
        }
    }
}
