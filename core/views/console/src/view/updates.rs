//! Automatic updates.

use super::{Seen, State};

/// The operators that are updated automatically, and their update status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updates {
    /// The texts that configure automatic updates, each with its place. An error if they are
    /// unavailable.
    pub configuration: Seen<Vec<(String, String)>>,
    /// The Operators of Portolan.
    pub operators: Seen<Vec<Updated>>,
}

/// The state of the updates of an Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The Operator.
    pub name: String,
    /// The installed version. Empty if no version is installed.
    pub version: String,
    /// The version in the spec. Empty if the spec has no version.
    pub wanted: String,
    /// The state of the updates.
    pub state: State,
    /// The reason code of the updater. Empty if the updater reports no reason.
    pub reason: String,
    /// The message for people.
    pub message: String,
}
