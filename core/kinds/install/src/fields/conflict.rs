//! The conflicts that an API server tells of an apply that would take fields from others.

use std::fmt;

use serde_json::Value;

use crate::object::{items, text};

/// A field that another manager owns with another value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflict {
    pub manager: String,
    /// The subresource that the field was written through, if it was one.
    pub subresource: Option<String>,
    /// Its path, such as `.spec.replicas`.
    pub field: String,
}

impl Conflict {
    /// Those that a Status names as causes, given as JSON; none if it is about something else, or
    /// does not say whose the fields are.
    pub fn all(status: &Value) -> Vec<Self> {
        let causes = items(status, "/details/causes").iter();
        let causes = causes.filter(|cause| text(cause, "/reason") == "FieldManagerConflict");
        causes.map(Self::of).collect()
    }

    /// A cause has the path as a field. Its sentence is `conflict with "helm" with subresource
    /// "scale" using apps/v1`.
    fn of(cause: &Value) -> Self {
        let sentence = text(cause, "/message");
        let named = sentence.strip_prefix("conflict with ").and_then(quoted);
        // Whoever it is, it is somebody else.
        let (manager, rest) = named.unwrap_or_else(|| (sentence.to_owned(), ""));
        let subresource = rest.strip_prefix(" with subresource ").and_then(quoted);
        Self {
            manager,
            subresource: subresource.map(|(name, _)| name),
            field: text(cause, "/field").to_owned(),
        }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { manager, field, .. } = self;
        write!(f, "{field} of {manager:?}")
    }
}

/// The text in quotes that a line begins with, and the rest of the line. What Go escapes and JSON
/// does not stays as it is.
fn quoted(line: &str) -> Option<(String, &str)> {
    let inner = line.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = inner.find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    let name = serde_json::from_str(&line[..end + 2]);
    let name = name.unwrap_or_else(|_| inner[..end].to_owned());
    Some((name, &inner[end + 1..]))
}
