//! The conflicts that an API server reports for an apply that would take fields from others.

use std::fmt;

use serde_json::Value;

use crate::object::{items, text};

/// A field that another manager has set to a different value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnedField {
    pub manager: String,
    /// The subresource through which the field was written. None for the object itself.
    pub subresource: Option<String>,
    /// The path, such as `.spec.replicas`.
    pub field: String,
}

impl OwnedField {
    /// Returns the conflicts listed as causes in a Status, which is given as JSON. Empty if the
    /// Status is about another error, or does not name the owners of the fields.
    pub fn all(status: &Value) -> Vec<Self> {
        let causes = items(status, "/details/causes").iter();
        let causes = causes.filter(|cause| text(cause, "/reason") == "FieldManagerConflict");
        causes.map(Self::of).collect()
    }

    /// Parses a cause. Its field is the path, and its message is `conflict with "helm" with
    /// subresource "scale" using apps/v1`.
    fn of(cause: &Value) -> Self {
        let sentence = text(cause, "/message");
        let named = sentence.strip_prefix("conflict with ").and_then(quoted);
        // This manager is a different manager, even if its name cannot be parsed.
        let (manager, rest) = named.unwrap_or_else(|| (sentence.to_owned(), ""));
        let subresource = rest.strip_prefix(" with subresource ").and_then(quoted);
        Self {
            manager,
            subresource: subresource.map(|(name, _)| name),
            field: text(cause, "/field").to_owned(),
        }
    }
}

impl fmt::Display for OwnedField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { manager, field, .. } = self;
        write!(f, "{field} of {manager:?}")
    }
}

/// Returns the quoted text at the start of a line, and the rest of the line. Go escapes that JSON
/// does not define are kept.
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
