//! The result of one check, with its state and its remedy.

use std::fmt::Display;

use serde::Serialize;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub section: &'static str,
    pub name: String,
    pub state: CheckState,
    pub message: String,
    /// The action that fixes the problem. Empty if the check passes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    Passed,
    Warning,
    Unknown,
    Failed,
}

pub(super) fn passed(section: &'static str, name: &str, message: impl Display) -> Check {
    line(
        section,
        name,
        CheckState::Passed,
        (message.to_string(), String::new()),
    )
}

pub(super) fn warning(
    section: &'static str,
    name: &str,
    message: impl Display,
    remedy: impl Display,
) -> Check {
    line(
        section,
        name,
        CheckState::Warning,
        (message.to_string(), remedy.to_string()),
    )
}

pub(super) fn failed(
    section: &'static str,
    name: &str,
    message: impl Display,
    remedy: impl Display,
) -> Check {
    line(
        section,
        name,
        CheckState::Failed,
        (message.to_string(), remedy.to_string()),
    )
}

pub(super) fn unknown(section: &'static str, name: &str, fact: &str, why: &str) -> Check {
    let message = format!("{fact} cannot be read: {why}");
    let remedy = "Check your permissions and the connection to the API server.";
    line(
        section,
        name,
        CheckState::Unknown,
        (message, remedy.to_owned()),
    )
}

fn line(
    section: &'static str,
    name: &str,
    state: CheckState,
    (message, remedy): (String, String),
) -> Check {
    Check {
        section,
        name: name.to_owned(),
        state,
        message,
        remedy,
    }
}
