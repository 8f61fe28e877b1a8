//! Views of automatic updates.

use super::{Seen, State};

/// The data of the page about automatic updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updates {
    /// The texts that configure automatic updates, each with its location. If they are unavailable,
    /// the reason.
    pub configuration: Seen<Vec<(String, String)>>,
    /// The Operators of Portolan.
    pub operators: Seen<Vec<Updated>>,
}

/// An Operator with the status of its automatic updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The name of the Operator.
    pub name: String,
    /// The installed version. Empty if no version is installed.
    pub version: String,
    /// The version in the spec. Empty if the spec has no version.
    pub wanted: String,
    /// The state of the automatic updates.
    pub state: State,
    /// The reason code that the updater reports. Empty if the updater reports no reason.
    pub reason: String,
    /// The message that the updater reports.
    pub message: String,
}
