//! What a change would come to, and what came of it.

use crate::place::Wanted;

/// What would change, and what is to be told of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// What would change, by name.
    pub steps: Vec<Step>,
    /// Why it cannot be; then nothing would change.
    pub errors: Vec<String>,
    /// What should be looked at before it is done.
    pub warnings: Vec<String>,
    /// What would be done besides what was asked for.
    pub notes: Vec<String>,
    /// The text that would be another one, where it is about updates.
    pub text: Option<Rewritten>,
}

/// A text of a ConfigMap that says something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// Where it is.
    pub place: String,
    /// The text as it is; empty if there is none.
    pub before: String,
    /// The text as it would be.
    pub after: String,
    /// What would do it; empty if nobody can type it.
    pub command: String,
}

/// What the cluster says to a change, or what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The change.
    pub wanted: Wanted,
    /// What would be written, or was.
    pub moves: Vec<Move>,
    /// How it ended.
    pub end: End,
}

/// One object that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The object, as a sentence calls it.
    pub object: String,
    /// What of it is another than before.
    pub fields: Vec<Field>,
    /// Why the cluster refuses it; empty if it does not.
    pub refused: String,
    /// Whether it is written.
    pub is_done: bool,
}

/// One field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The names on the way to it.
    pub path: String,
    /// What it says before; empty if it is not there.
    pub before: String,
    /// What it says then; empty if it is not there.
    pub after: String,
}

/// How a change ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Nothing is written; whoever wants it written says that they have seen what this names.
    Tried(String),
    /// The same, as something else would be written than they had seen.
    Differs(String),
    /// The cluster refuses something. What is done is done.
    Refused,
    /// All is written.
    Done,
    /// It cannot be, for this reason.
    Impossible(String),
}

/// The change of one Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The name of the Operator.
    pub name: String,
    /// The version to come; empty if the Operator goes.
    pub version: String,
    /// The version before; empty if the Operator is new, or has none yet.
    pub previous: String,
    /// The versions in between, the lowest first.
    pub between: Vec<String>,
    /// What would do it.
    pub command: String,
}
