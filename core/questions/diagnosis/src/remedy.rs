//! The commands of a remedy, and the person who can run them.

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
    /// Read-only commands that show the object at fault.
    pub look: Vec<Step>,
    /// The only safe change that resolves the cause.
    pub fix: Option<Procedure>,
    /// Alternative changes, best first, each with a cost.
    pub decide: Vec<Procedure>,
    /// The commands to run afterwards, for example after the responsible person has acted.
    pub later: Vec<Procedure>,
}

/// Numbered steps with a common purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Procedure {
    /// One sentence about the effect of the steps, or about the time to run them.
    pub title: String,
    /// The steps in order. A step that deletes objects comes after a step that saves them. Empty
    /// only for an alternative without a command.
    pub steps: Vec<Step>,
    /// One sentence about the objects that the steps delete. Empty if the steps delete nothing.
    pub deletes: String,
    /// One sentence about the objects that remain after a deletion. Empty if the steps delete
    /// nothing.
    pub keeps: String,
    /// The risk, in one or two sentences. Empty for commands that change nothing.
    pub risk: String,
}

/// One command or one manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The effect of the step, as an imperative sentence without a period.
    pub comment: String,
    /// The command or manifest.
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
    /// Returns the text of the command or of the manifest.
    pub fn text(&self) -> &str {
        match self {
            Self::Command(text) | Self::Manifest(text) => text,
        }
    }
}

// === impl Procedure ===

impl Procedure {
    /// Returns the texts of all steps, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| step.action.text())
    }
}
