//! The diagnosis of an operator.

use crate::{Code, Object, UnqueriedBundle};

/// The diagnosis of one operator: what is wrong, which object is to blame, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The operator.
    pub subject: Subject,
    /// The state of the operator: the worst state of its causes.
    pub state: State,
    /// The causes, starting with the root; None if nothing is wrong or unknown.
    pub cause: Option<Cause>,
    /// The other operators of the namespace that suffer from a guilty object of this one, by
    /// subject.
    pub victims: Vec<Object>,
    /// Misleading statements of OLM.
    pub meanwhile: Vec<Saying>,
    /// The unknown facts, one sentence each.
    pub unknowns: Vec<String>,
    /// The bundle that the catalog must be queried for to complete the diagnosis.
    pub untold: Option<UnqueriedBundle>,
}

/// An operator, by its names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// Its Subscription or, without one, its newest ClusterServiceVersion.
    pub object: Object,
    /// The package; empty if unknown.
    pub package: String,
    /// The newest ClusterServiceVersion; empty without one.
    pub csv: String,
}

/// The state of an operator, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Nothing is wrong, and no action is needed.
    Well,
    /// Work is in progress and finishes by itself, or the state is unknown.
    Working,
    /// A person must approve or resume something.
    Waiting,
    /// OLM does not install what is requested, and will not. The workloads keep running.
    Stuck,
    /// The installed operator does not work.
    Broken,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The code, for programs.
    pub code: Code,
    /// The state that this cause alone gives the operator.
    pub state: State,
    /// The message for users, in one or a few sentences.
    pub message: String,
    /// The object to blame. It never suffers from another one itself.
    pub guilty: Object,
    /// The cure for it.
    pub cure: Cure,
    /// Additional commands, in this order, for a cause that someone else must cure.
    pub steps: Vec<Step>,
    /// The operator that has the problem, by subject, if this one only suffers from it.
    pub blocked_by: Option<Object>,
    /// The evidence for it.
    pub evidence: Vec<Evidence>,
    /// The other causes: consequences, and problems that have to wait for this cure.
    pub below: Vec<Cause>,
}

/// The cure for a cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cure {
    /// Commands or changes, best first; never empty.
    Fixable(Vec<Fix>),
    /// Someone else must act; no change here helps. Holds who must act, and how.
    External(String),
    /// No action is needed; it resolves with time.
    Time,
}

/// A change that cures a cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Its effect, a sentence.
    pub message: String,
    /// The exact change.
    pub change: Change,
    /// Its risk, a sentence.
    pub risk: String,
}

/// A command that cures nothing by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its purpose.
    pub purpose: Purpose,
    /// The purpose for users: a sentence without its end.
    pub message: String,
    /// One line for a shell.
    pub command: String,
}

/// The purpose of a command that cures nothing by itself, in the order of execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Inspect the problem.
    Look,
    /// Make OLM reconcile again after someone has acted.
    Again,
    /// Make OLM reinstall the operator.
    Anew,
    /// Check that the problem is fixed.
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

/// A value that was read from an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The object that it was read from.
    pub object: Object,
    /// The field, as a path; empty for the object as a whole.
    pub field: String,
    /// The value of the field.
    pub value: String,
}

/// A misleading statement of OLM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    /// The statement, and where it was read.
    pub said: Evidence,
    /// The reason why it misleads, a sentence.
    pub message: String,
}

// === impl State ===

impl State {
    /// Returns the state as one word.
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
    /// Returns the kind of cure as one word.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Fixable(_) => "Fixable",
            Self::External(_) => "External",
            Self::Time => "Time",
        }
    }

    /// Returns the fixes, best first; empty unless `Fixable`.
    pub fn fixes(&self) -> &[Fix] {
        match self {
            Self::Fixable(fixes) => fixes,
            Self::External(_) | Self::Time => &[],
        }
    }
}
