//! The diagnosis of an operator.

use crate::{Code, Confidence, Object, Quote, Remedy, Responsible, UnqueriedBundle};

/// The diagnosis of one operator: the problem, the object at fault, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The operator or the other object that is diagnosed.
    pub subject: Subject,
    /// The state of the operator: the worst state of its causes.
    pub state: State,
    /// The impact on users, in one or more sentences. It names the version that runs, the version
    /// that is blocked, and the time since which it is blocked.
    pub headline: String,
    /// The root cause, with the other causes below it. None if no problem and no unknown fact
    /// exists.
    pub cause: Option<Cause>,
    /// The other operators of the namespace that suffer from an object at fault of this operator,
    /// sorted by subject.
    pub victims: Vec<Object>,
    /// Statements of OLM that mislead users.
    pub meanwhile: Vec<Saying>,
    /// The unknown facts, one sentence for each fact.
    pub unknowns: Vec<String>,
    /// The bundle whose catalog must be queried to complete the diagnosis. None if no query is
    /// needed.
    pub untold: Option<UnqueriedBundle>,
}

/// The operator that a diagnosis is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// The Subscription of the operator. Without a Subscription, this is its newest
    /// ClusterServiceVersion.
    pub object: Object,
    /// The package. Empty if it is unknown.
    pub package: String,
    /// The newest ClusterServiceVersion. Empty if the operator has no ClusterServiceVersion.
    pub csv: String,
}

/// The state of an operator. The values are ordered from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// The operator has no problem, and needs no action.
    Well,
    /// Work is in progress and will complete without an action. Also used if the state is unknown.
    Working,
    /// A person must approve or resume an operation.
    Waiting,
    /// OLM does not install the requested version until someone acts. Workloads that run keep
    /// running.
    Stuck,
    /// The operator is installed, but no version of it works.
    Broken,
}

/// One problem, with the object at fault and the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The code, for programs.
    pub code: Code,
    /// The state that the operator would have if this were its only cause.
    pub state: State,
    /// The message for users, in one or a few sentences.
    pub message: String,
    /// The messages of other programs that show the cause. `message` does not repeat them.
    pub quotes: Vec<Quote>,
    /// The object that must change or that is missing. This object is never a victim of another
    /// object.
    pub at_fault: Object,
    /// Other objects at fault. A change of one object at fault is sufficient to resolve the
    /// problem.
    pub also_at_fault: Vec<Object>,
    /// The person who can resolve the problem.
    pub responsible: Responsible,
    /// The certainty that this is the cause.
    pub confidence: Confidence,
    /// The commands that cure the cause.
    pub remedy: Remedy,
    /// The operator that has the problem, if this operator only suffers from it. None otherwise.
    pub blocked_by: Option<Object>,
    /// The evidence for the cause.
    pub evidence: Vec<Evidence>,
    /// The other causes. They are consequences of this cause, or problems that can be resolved only
    /// later.
    pub below: Vec<Cause>,
}

/// A value of an object that shows a cause.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The object that contains the value.
    pub object: Object,
    /// The path of the field. Empty if the evidence is the object as a whole.
    pub field: String,
    /// The value of the field.
    pub value: String,
}

/// A statement of OLM that misleads users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    /// The statement, with the object that contains it.
    pub said: Evidence,
    /// The reason why the statement is misleading, as a sentence.
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
    /// Returns true if the object at fault is missing.
    pub fn is_at_fault_missing(&self) -> bool {
        let mut evidence = self.evidence.iter();
        evidence.any(|read| read.object == self.at_fault && read.field.is_empty())
    }
}
