//! Builds the remedy of a cause.

use crate::{Action, Cause, Object, Procedure, Remedy, Responsible, Step};

/// The cure for a cause.
#[derive(Debug, Clone)]
pub(crate) enum Cure {
    /// A single safe change.
    Safe(Procedure),
    /// Alternatives that each have a disadvantage, best alternative first. Never empty.
    Choice(Vec<Procedure>),
    /// Alternatives that each have a disadvantage, best alternative first, with advice. Never
    /// empty. The responsible person must choose.
    Advised(Responsible, Vec<Procedure>),
    /// Another person must act, outside of the commands.
    External(Responsible),
    /// No action is needed, because the problem resolves with time.
    Time,
}

// === impl Cure ===

impl Cure {
    /// Returns a cure that another person must carry out. `action` is an imperative sentence.
    pub(crate) fn external(who: &str, action: &str) -> Self {
        Self::External(Responsible {
            who: who.to_owned(),
            action: action.to_owned(),
        })
    }

    /// Returns alternatives for a person, with advice. If `decide` is empty, returns only the
    /// advice.
    pub(crate) fn advised(who: &str, action: &str, decide: Vec<Procedure>) -> Self {
        let responsible = Responsible {
            who: who.to_owned(),
            action: action.to_owned(),
        };
        if decide.is_empty() {
            Self::External(responsible)
        } else {
            Self::Advised(responsible, decide)
        }
    }

    /// Returns alternatives. If the list is empty, returns the cure `other`.
    pub(crate) fn choice_or(procedures: Vec<Procedure>, other: Self) -> Self {
        if procedures.is_empty() {
            other
        } else {
            Self::Choice(procedures)
        }
    }
}

// === impl Cause ===

impl Cause {
    /// Sets the responsible person and the commands. If the cure is not external, the responsible
    /// person is the administrator who can change the object at fault.
    pub(crate) fn cured(mut self, cure: Cure) -> Self {
        let usual = || Responsible {
            who: administrator(&self.at_fault),
            action: String::new(),
        };
        let (responsible, fix, decide) = match cure {
            Cure::Safe(fix) => (usual(), Some(fix), Vec::new()),
            Cure::Choice(decide) => (usual(), None, decide),
            Cure::Advised(responsible, decide) => (responsible, None, decide),
            Cure::External(responsible) => (responsible, None, Vec::new()),
            Cure::Time => (Responsible::default(), None, Vec::new()),
        };
        self.responsible = responsible;
        self.remedy = Remedy {
            fix,
            decide,
            ..self.remedy
        };
        self
    }

    /// Sets a safe change, and keeps the alternatives.
    pub(crate) fn fixed(mut self, fix: Option<Procedure>) -> Self {
        self.remedy.fix = fix;
        self
    }

    /// Copies the remedy of another cause, because this remedy also cures this cause.
    pub(crate) fn cured_like(self, other: &Self) -> Self {
        Self {
            responsible: other.responsible.clone(),
            remedy: other.remedy.clone(),
            ..self
        }
    }

    /// Adds read-only commands to the remedy.
    pub(crate) fn looked(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.remedy.look.extend(steps);
        self
    }

    /// Adds commands that users run later.
    pub(crate) fn followed(mut self, later: impl IntoIterator<Item = Procedure>) -> Self {
        self.remedy.later.extend(later);
        self
    }

    /// Returns true if another person must act.
    pub(crate) fn is_external(&self) -> bool {
        !self.responsible.who.is_empty() && !self.remedy.is_actionable()
    }
}

/// Returns the administrator who can change an object.
pub(crate) fn administrator(object: &Object) -> String {
    match object.namespace.as_str() {
        "" => "a cluster administrator".to_owned(),
        namespace => format!("the administrator of namespace {namespace}"),
    }
}

// === impl Procedure ===

impl Procedure {
    /// Returns a procedure that has only one command. The title describes the effect of the
    /// command.
    pub(crate) fn command(title: &str, command: String, risk: &str) -> Self {
        let comment = title.strip_suffix('.').unwrap_or(title);
        Self::of(title, vec![Step::new(comment, command)], risk)
    }

    /// Returns a procedure without a command, because the object to change was not read.
    pub(crate) fn without_command(title: &str, risk: &str) -> Self {
        Self::of(title, Vec::new(), risk)
    }

    /// Returns a procedure of several steps. The procedure deletes nothing.
    pub(crate) fn of(title: &str, steps: Vec<Step>, risk: &str) -> Self {
        Self {
            title: title.to_owned(),
            steps,
            risk: risk.to_owned(),
            ..Self::default()
        }
    }

    /// Sets the sentence about the deleted objects, and the sentence about the remaining objects.
    pub(crate) fn deleting(self, deletes: &str, keeps: &str) -> Self {
        Self {
            deletes: deletes.to_owned(),
            keeps: keeps.to_owned(),
            ..self
        }
    }
}

// === impl Step ===

impl Step {
    /// Returns a step with a command. `comment` describes the effect of the command.
    pub(crate) fn new(comment: &str, command: String) -> Self {
        Self {
            comment: comment.to_owned(),
            action: Action::Command(command),
        }
    }

    /// Returns a step with a manifest. `comment` describes the effect of the manifest.
    pub(crate) fn manifest(comment: &str, manifest: String) -> Self {
        Self {
            comment: comment.to_owned(),
            action: Action::Manifest(manifest),
        }
    }
}
