//! Faults of rules with their positions, and failures of the engine.

use thiserror::Error;

use crate::rego::text::HEAD_LINES;

/// A fault of a rule, with its position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct RuleFault {
    /// The line, starting at 1.
    pub line: u32,
    /// The column, starting at 1.
    pub column: u32,
    pub message: String,
}

/// A failure of the engine that prevents the evaluation of a rule. The rule itself may be valid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    /// No thread could be started. Contains the error of the operating system.
    #[error("no thread can be started for it: {0}")]
    NoThread(String),
    #[error("the rule engine failed, which is a bug of the engine")]
    Engine,
}

// === impl RuleFault ===

impl RuleFault {
    /// Creates a fault from a position in the whole module. The lines that this crate adds before
    /// the rule are subtracted.
    pub(crate) fn at(line: u64, column: u64, message: impl Into<String>) -> Self {
        let line = line.saturating_sub(HEAD_LINES).max(1);
        Self {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
            message: message.into(),
        }
    }

    /// Parses an error of the engine, which has the form `--> file:line:column`, then the line,
    /// then `error: message`. If the position is missing, the fault is at the start of the rule.
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

/// Returns the message in an error of the engine, without the position.
pub(crate) fn message(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    let marked = lines.find_map(|line| line.strip_prefix("error: "));
    let message = marked.or_else(|| text.lines().map(str::trim).find(|line| !line.is_empty()));
    message
        .unwrap_or("it is refused")
        .trim_end_matches(':')
        .to_owned()
}
