//! The commands that lead to a cure, and the person who can run them.

/// The person who can cure a cause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Responsible {
    /// One person or role, such as `the publisher of package ferry`. Empty if no action is needed.
    pub who: String,
    /// The required action, as an imperative sentence. Empty if the commands contain the action.
    pub action: String,
}

/// The commands for a cause. If `fix` and `decide` are empty, no change in this cluster resolves
/// the cause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remedy {
    /// Read-only commands that lead to the object at fault.
    pub look: Vec<Step>,
    /// The only safe change that resolves the cause.
    pub fix: Option<Procedure>,
    /// Alternative changes, best first, each with a cost.
    pub decide: Vec<Procedure>,
    /// The commands to run later, for example after another person has acted.
    pub later: Vec<Procedure>,
}

/// Numbered steps with a common purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Procedure {
    /// The effect of all steps, or the time to run them, as one sentence.
    pub title: String,
    /// The steps in order. Objects are saved before they are deleted. Empty only for an alternative whose
    /// object was not read.
    pub steps: Vec<Step>,
    /// The deleted objects, as one sentence. Empty if nothing is deleted.
    pub deletes: String,
    /// The objects that remain after a deletion, as one sentence. Empty if nothing is deleted.
    pub keeps: String,
    /// The risk, in one or two sentences. Empty for commands that change nothing.
    pub risk: String,
}

/// One command or one manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The effect, as an imperative sentence without a final period.
    pub comment: String,
    /// The action.
    pub action: Action,
}

/// The action of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// One command line for a shell.
    Command(String),
    /// A manifest for `kubectl apply -f -`.
    Manifest(String),
}

// === impl Remedy ===

impl Remedy {
    /// Returns true if a change in this cluster cures the cause.
    pub fn is_actionable(&self) -> bool {
        self.fix.is_some() || !self.decide.is_empty()
    }

    /// Returns the changes: the fix, then the alternatives.
    pub fn changes(&self) -> impl Iterator<Item = &Procedure> {
        self.fix.iter().chain(&self.decide)
    }

    /// Returns the procedures: the fix, the alternatives, and the commands to run later.
    pub fn procedures(&self) -> impl Iterator<Item = &Procedure> {
        self.changes().chain(&self.later)
    }
}

// === impl Action ===

impl Action {
    /// Returns the command or the manifest.
    pub fn text(&self) -> &str {
        match self {
            Self::Command(text) | Self::Manifest(text) => text,
        }
    }
}

// === impl Procedure ===

impl Procedure {
    /// Returns the commands and manifests, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| step.action.text())
    }
}
