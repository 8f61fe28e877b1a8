//! The fault of a rule with its position, and failures of the engine.

use thiserror::Error;

use crate::rego::text::HEAD_LINES;

/// A fault of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct RuleFault {
    /// The line, starting at 1.
    pub line: u32,
    /// The column, starting at 1.
    pub column: u32,
    pub message: String,
}

/// A failure that prevents the evaluation of a rule. The rule may be valid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    /// Contains the error of the system.
    #[error("no thread can be started for it: {0}")]
    NoThread(String),
    #[error("the rule engine failed, which is a bug of the engine")]
    Engine,
}

// === impl RuleFault ===

impl RuleFault {
    /// Creates a fault at a line and a column of the text with its head.
    pub(crate) fn at(line: u64, column: u64, message: impl Into<String>) -> Self {
        let line = line.saturating_sub(HEAD_LINES).max(1);
        Self {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
            message: message.into(),
        }
    }

    /// Parses the output of the engine: `--> file:line:column`, the line, and then `error:
    /// message`. If these are missing, the fault has no position.
    pub(crate) fn printed(text: &str) -> Self {
        let place = text.lines().find_map(|line| {
            let mut parts = line.trim().strip_prefix("--> ")?.rsplit(':');
            let (column, line) = (parts.next()?, parts.next()?);
            Some((line.parse().ok()?, column.parse().ok()?))
        });
        let (line, column) = place.unwrap_or((1, 1));
        Self::at(line, column, message(text))
    }
}

/// Returns the message of an engine error, without its position.
pub(crate) fn message(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    let marked = lines.find_map(|line| line.strip_prefix("error: "));
    let message = marked.or_else(|| text.lines().map(str::trim).find(|line| !line.is_empty()));
    message
        .unwrap_or("it is refused")
        .trim_end_matches(':')
        .to_owned()
}
