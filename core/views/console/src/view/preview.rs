//! The effects of a change before it is made, and its result.

use crate::place::Wanted;

/// The changes that would be made, and the messages about them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// The changes, by the names of the Operators.
    pub steps: Vec<Step>,
    /// The reasons why it cannot be; then nothing would change.
    pub errors: Vec<String>,
    /// The warnings to look at before it is done.
    pub warnings: Vec<String>,
    /// The notes about what would be done besides what was asked for.
    pub notes: Vec<String>,
    /// The text that would be another one, where it is about updates.
    pub text: Option<Rewritten>,
}

/// A text of a ConfigMap that says something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The place of the text.
    pub place: String,
    /// The text as it is; empty if there is none.
    pub before: String,
    /// The text as it would be.
    pub after: String,
    /// The command that would do it; empty if there is none.
    pub command: String,
}

/// The answer of the cluster to a change, or the result of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The change.
    pub wanted: Wanted,
    /// The objects that would be written, or were.
    pub moves: Vec<Move>,
    /// The outcome of the change.
    pub end: End,
}

/// One object that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The object, as a sentence calls it.
    pub object: String,
    /// The fields that differ from before.
    pub fields: Vec<Field>,
    /// The reason why the cluster refuses it; empty if it does not.
    pub refused: String,
    /// Whether it is written.
    pub is_done: bool,
}

/// One field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The names on the way to it.
    pub path: String,
    /// The value before; empty if the field is not there.
    pub before: String,
    /// The value after; empty if the field is not there.
    pub after: String,
}

/// The outcome of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Nothing is written; to have it written, the visitor confirms by this identifier what they
    /// have seen.
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
    /// The command that would do it.
    pub command: String,
    /// The updates that wait until their changes of CRDs are accepted.
    pub unsafe_updates: Vec<UnsafeUpdate>,
    /// The reason why CRDs are not compared; empty if they are.
    pub not_compared: String,
}

/// An update that waits until its unsafe changes of CRDs are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsafeUpdate {
    /// The bundle that makes the changes.
    pub bundle: String,
    /// The changes, a line each.
    pub changes: Vec<String>,
    /// The way to accept them.
    pub remedy: String,
}
