//! Updates that nobody types.

use super::{Seen, State};

/// Who is updated by itself, and how that goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updates {
    /// The texts that say who, each with where it is; why there is none.
    pub configuration: Seen<Vec<(String, String)>>,
    /// All Operators of Portolan.
    pub operators: Seen<Vec<Updated>>,
}

/// How it is with the updates of an Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The Operator.
    pub name: String,
    /// The version that is installed; empty if none is.
    pub version: String,
    /// What its spec says; empty if it says nothing.
    pub wanted: String,
    /// How that goes.
    pub state: State,
    /// What the updater says, in a word; empty if it says nothing.
    pub reason: String,
    /// The same for people.
    pub message: String,
}
