//! What is said of an operator.

use crate::{Code, Object, Untold};

/// What is wrong with one operator, who is to blame, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Which operator.
    pub subject: Subject,
    /// How it is: the worst that any of its causes makes of it.
    pub state: State,
    /// Why, from the root on; None if there is nothing to say.
    pub cause: Option<Cause>,
    /// The other operators of the namespace that suffer from a guilty object of this one, by their
    /// subjects.
    pub victims: Vec<Object>,
    /// What OLM says meanwhile and misleads.
    pub meanwhile: Vec<Saying>,
    /// What could not be known, one sentence each.
    pub unknowns: Vec<String>,
    /// The bundle for which its catalog has to be asked before all can be said.
    pub untold: Option<Untold>,
}

/// An operator by its names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// Its Subscription or, without one, its newest ClusterServiceVersion.
    pub object: Object,
    /// Its package; empty if nothing tells.
    pub package: String,
    /// The newest of its ClusterServiceVersions; empty if there is none.
    pub csv: String,
}

/// How an operator is, the better before the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Nothing is wrong with it, and nothing has to be done.
    Well,
    /// Something is under way that comes to an end by itself, or it is not known how it is.
    Working,
    /// A person has to let something go ahead.
    Waiting,
    /// OLM does not bring what it is asked for, and will not. What runs works on.
    Stuck,
    /// What is installed does not work.
    Broken,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// For programs.
    pub code: Code,
    /// What this alone makes of the operator.
    pub state: State,
    /// One sentence for a person, or a few.
    pub message: String,
    /// Who is to blame: never one who suffers from another.
    pub guilty: Object,
    /// What heals it.
    pub cure: Cure,
    /// What to type besides, where somebody else has to heal it, in this order.
    pub steps: Vec<Step>,
    /// The operator whose trouble it is, by its subject, where this one only suffers from that.
    pub blocked_by: Option<Object>,
    /// What it stands on.
    pub evidence: Vec<Evidence>,
    /// What else is wrong: what follows from it, and what has to wait until it is healed.
    pub below: Vec<Cause>,
}

/// What heals a cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cure {
    /// A command or a change here, the best first; never empty.
    Fixable(Vec<Fix>),
    /// Somebody else has to act, and nothing that is done here helps. Holds who, and what to do.
    External(String),
    /// Time: nothing has to be done.
    Time,
}

/// Something that heals a cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, a sentence.
    pub message: String,
    /// The change, exactly.
    pub change: Change,
    /// What it risks, a sentence.
    pub risk: String,
}

/// A command that heals nothing by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What it is for.
    pub purpose: Purpose,
    /// The same for a person, a sentence without its end.
    pub message: String,
    /// One line for a shell.
    pub command: String,
}

/// What a command is for that heals nothing by itself; what is typed first comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// To look at what is wrong.
    Look,
    /// To have OLM look again when somebody has acted.
    Again,
    /// To have OLM install the operator anew.
    Anew,
    /// To see that it is healed.
    Check,
}

/// A change, exactly as it is to be made.
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
    /// Where.
    pub object: Object,
    /// The field, as a path; empty for the object as a whole.
    pub field: String,
    /// What is written there.
    pub value: String,
}

/// Something that OLM says and that misleads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    /// Where and what.
    pub said: Evidence,
    /// Why it misleads, a sentence.
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
    /// Whether the guilty object is not there.
    pub fn is_guilty_missing(&self) -> bool {
        let mut evidence = self.evidence.iter();
        evidence.any(|read| read.object == self.guilty && read.field.is_empty())
    }
}

// === impl Purpose ===

impl Purpose {
    /// It in one word.
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

    /// What can be done here, the best first.
    pub fn fixes(&self) -> &[Fix] {
        match self {
            Self::Fixable(fixes) => fixes,
            Self::External(_) | Self::Time => &[],
        }
    }
}
