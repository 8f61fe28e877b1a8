//! Automatic updates.

use super::{Seen, State};

/// The operators that are updated automatically, and how that goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updates {
    /// The texts that say which operators these are, each with its place; or the reason why there
    /// is none.
    pub configuration: Seen<Vec<(String, String)>>,
    /// All Operators of Portolan.
    pub operators: Seen<Vec<Updated>>,
}

/// The state of the updates of an Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The Operator.
    pub name: String,
    /// The version that is installed; empty if none is.
    pub version: String,
    /// The version that its spec asks for; empty if there is none.
    pub wanted: String,
    /// The state of its updates.
    pub state: State,
    /// The reason that the updater gives, in a word; empty if it gives none.
    pub reason: String,
    /// The same for people.
    pub message: String,
}
