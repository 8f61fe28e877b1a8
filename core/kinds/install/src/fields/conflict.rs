//! The conflicts that the API server reports for an apply, because other field managers own some of
//! the fields.

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
    /// Returns the conflicts that the causes of a `Status` list. The `Status` is given as JSON.
    /// Empty if it reports another error, or if it does not name the owners of the fields.
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
        // The API server always names another manager, so the whole text is used if it cannot be
        // parsed.
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

/// Returns the quoted text at the start of the line, and the text after it. Keeps escape sequences
/// of Go that JSON does not define.
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
