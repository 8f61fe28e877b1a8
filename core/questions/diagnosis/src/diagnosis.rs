//! The diagnosis of an operator.

use crate::{Code, Confidence, Object, Remedy, Responsible, UnqueriedBundle};

/// The diagnosis of one operator: what is wrong, which object is to blame, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The operator.
    pub subject: Subject,
    /// The state of the operator: the worst state of its causes.
    pub state: State,
    /// The impact in one sentence: what keeps running, and what is blocked since when.
    pub headline: String,
    /// The causes, starting with the root; None if nothing is wrong or unknown.
    pub cause: Option<Cause>,
    /// The other operators of the namespace that suffer from an object at fault of this one, by
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
    /// The object that must change or is missing. It never suffers from another one itself.
    pub at_fault: Object,
    /// Other objects, if a change of any one of all these objects cures the cause.
    pub also_at_fault: Vec<Object>,
    /// The person who can change it.
    pub responsible: Responsible,
    /// The certainty that this is the cause.
    pub confidence: Confidence,
    /// The commands that lead to a cure.
    pub remedy: Remedy,
    /// The operator that has the problem, by subject, if this one only suffers from it.
    pub blocked_by: Option<Object>,
    /// The evidence for it.
    pub evidence: Vec<Evidence>,
    /// The other causes: consequences, and problems that have to wait for this cure.
    pub below: Vec<Cause>,
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
    /// Returns true if the object at fault does not exist.
    pub fn is_at_fault_missing(&self) -> bool {
        let mut evidence = self.evidence.iter();
        evidence.any(|read| read.object == self.at_fault && read.field.is_empty())
    }
}
