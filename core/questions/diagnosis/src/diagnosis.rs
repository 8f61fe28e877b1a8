//! The diagnosis of an operator.

use crate::{Code, Confidence, Object, Quote, Remedy, Responsible, UnqueriedBundle};

/// The diagnosis of one operator: the problem, the object at fault, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The operator.
    pub subject: Subject,
    /// The state of the operator: the worst state of its causes.
    pub state: State,
    /// The impact in one or more sentences: the running version, and the blocked version with the
    /// time since which it is blocked.
    pub headline: String,
    /// The causes, starting with the root cause. None if there is no problem and no unknown fact.
    pub cause: Option<Cause>,
    /// The other operators of the namespace that are affected by an object at fault of this
    /// operator, by subject.
    pub victims: Vec<Object>,
    /// Misleading statements of OLM.
    pub meanwhile: Vec<Saying>,
    /// A sentence for each unknown fact.
    pub unknowns: Vec<String>,
    /// The bundle for which the catalog must be queried to complete the diagnosis.
    pub untold: Option<UnqueriedBundle>,
}

/// An operator, identified by its names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// The Subscription of the operator. Without a Subscription, its newest ClusterServiceVersion.
    pub object: Object,
    /// The package. Empty if it is unknown.
    pub package: String,
    /// The newest ClusterServiceVersion. Empty if it does not exist.
    pub csv: String,
}

/// The state of an operator, ordered from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// There is no problem, and no action is needed.
    Well,
    /// Work is in progress and will complete without an action, or the state is unknown.
    Working,
    /// A person must approve or resume the operation.
    Waiting,
    /// OLM does not install the requested version, and will not do so without an action. The
    /// workloads keep running.
    Stuck,
    /// The operator is installed, and no version of it works.
    Broken,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The code, for programs.
    pub code: Code,
    /// The state of the operator if this were its only cause.
    pub state: State,
    /// The message for users, in one or a few sentences.
    pub message: String,
    /// The messages of other programs that show the cause. `message` does not repeat them.
    pub quotes: Vec<Quote>,
    /// The object that must change or that is missing. This object is never a victim of another
    /// object.
    pub at_fault: Object,
    /// Other objects at fault. A change of any one of the objects at fault resolves the problem.
    pub also_at_fault: Vec<Object>,
    /// The person who can resolve the problem.
    pub responsible: Responsible,
    /// The certainty that this is the cause.
    pub confidence: Confidence,
    /// The commands that lead to a cure.
    pub remedy: Remedy,
    /// The operator that has the problem, by subject, if this operator is only affected. None
    /// otherwise.
    pub blocked_by: Option<Object>,
    /// The evidence for it.
    pub evidence: Vec<Evidence>,
    /// The other causes: consequences of this cause, and problems that can be resolved only later.
    pub below: Vec<Cause>,
}

/// A value that was read from an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The object that contains the value.
    pub object: Object,
    /// The path of the field. Empty for the object as a whole.
    pub field: String,
    /// The value of the field.
    pub value: String,
}

/// A misleading statement of OLM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    /// The statement and its source.
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
    /// Returns true if the object at fault does not exist.
    pub fn is_at_fault_missing(&self) -> bool {
        let mut evidence = self.evidence.iter();
        evidence.any(|read| read.object == self.at_fault && read.field.is_empty())
    }
}
