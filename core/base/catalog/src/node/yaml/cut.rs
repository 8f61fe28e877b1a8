//! Removes the unneeded lines of a bundle before the YAML parser reads it.
//!
//! Nine tenths of a catalog are manifests and descriptions inside properties. Parsing them is slow,
//! but their lines can be recognized by their indentation. This works for the block style that
//! programs write. If a line is ambiguous, the result is `None`, and the caller must parse the
//! whole document. Removed lines become empty lines, so line numbers stay correct.
//!
//! ```text
//! properties:
//! - type: olm.csv.metadata
//!   value:
//!     annotations:            an unused key, removed
//!       …                     with everything below it
//!     displayName: Ferry      kept
//! ```

use crate::document::selection::{CSV_KEYS, SUBSTITUTES_FOR};

/// Returns the document without the lines that no query needs. Returns None if the caller must
/// parse the whole document.
pub(crate) fn cut(text: &str) -> Option<String> {
    if !text.contains("- type: olm.csv.metadata") && !text.contains("- type: olm.bundle.object") {
        return None;
    }
    let mut filter = LineFilter {
        kept: String::with_capacity(text.len() / 8),
        is_bundle: false,
        in_properties: false,
        place: Position::Outside,
    };
    for line in text.split_inclusive('\n') {
        filter.take(line)?;
    }
    filter.is_bundle.then_some(filter.kept)
}

struct LineFilter {
    kept: String,
    is_bundle: bool,
    in_properties: bool,
    place: Position,
}

/// The state of the filter. `indent` is the indentation of the keys of the property.
#[derive(Clone, Copy)]
enum Position {
    Outside,
    /// The next line follows the type of a property whose value is filtered.
    Type {
        indent: usize,
        kind: Kind,
    },
    /// The next line may belong to the value of the property.
    Value {
        indent: usize,
        kind: Kind,
    },
}

#[derive(Clone, Copy)]
enum Kind {
    /// A manifest. All its lines are removed.
    Object,
    /// The metadata of a ClusterServiceVersion. Contains the indentation of its keys, and the rule
    /// for the lines below the current key.
    Metadata { keys: Option<usize>, rule: Rule },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Keep,
    Drop,
    /// The lines are removed. If a line contains the annotation that Portolan reads, the whole
    /// document must be parsed.
    Annotations,
}

// === impl LineFilter ===

impl LineFilter {
    /// Adds the next line. Returns None if it is unclear to which value the line belongs.
    fn take(&mut self, line: &str) -> Option<()> {
        let blank = line.trim_ascii().is_empty();
        let indent = line.len() - line.trim_start_matches(' ').len();
        if let Position::Type { indent: keys, kind } = self.place
            && !blank
        {
            self.place = if line.trim_ascii_end() == format!("{:keys$}value:", "") {
                Position::Value { indent: keys, kind }
            } else {
                Position::Outside
            };
        } else if let Position::Value { indent: keys, kind } = self.place {
            if blank {
                return self.drop(line);
            }
            if indent > keys {
                return self.inside(line, indent, keys, kind);
            }
            self.place = Position::Outside;
        }
        self.keep(line)?;
        self.look(line, indent);
        Some(())
    }

    /// Updates the state after a line that was kept.
    fn look(&mut self, line: &str, indent: usize) {
        let text = line[indent..].trim_ascii_end();
        if indent == 0 && !text.starts_with(['-', '#']) && !text.is_empty() {
            self.is_bundle |= text == "schema: olm.bundle";
            self.in_properties = text == "properties:";
        }
        if !self.in_properties {
            return;
        }
        let kind = match text {
            "- type: olm.bundle.object" => Kind::Object,
            "- type: olm.csv.metadata" => Kind::Metadata {
                keys: None,
                rule: Rule::Drop,
            },
            _ => return,
        };
        let indent = indent + "- ".len();
        self.place = Position::Type { indent, kind };
    }

    /// Adds a line of a value. Such a line has a larger indentation than the keys of the property.
    fn inside(&mut self, line: &str, indent: usize, outer: usize, kind: Kind) -> Option<()> {
        let Kind::Metadata { keys, rule } = kind else {
            return self.drop(line);
        };
        let keys = keys.unwrap_or(indent);
        let text = &line[indent..];
        let rule = match indent.cmp(&keys) {
            std::cmp::Ordering::Less => return None,
            // The items of a list may have the same indentation as the key of the list.
            std::cmp::Ordering::Equal if !text.starts_with("- ") => rule_of(text)?,
            std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => rule,
        };
        let kind = Kind::Metadata {
            keys: Some(keys),
            rule,
        };
        self.place = Position::Value {
            indent: outer,
            kind,
        };
        match rule {
            Rule::Keep => self.keep(line),
            Rule::Annotations if line.contains(SUBSTITUTES_FOR) => None,
            Rule::Annotations | Rule::Drop => self.drop(line),
        }
    }

    /// Keeps a line. Returns None if the line contains an alias, because it might repeat removed
    /// lines.
    fn keep(&mut self, line: &str) -> Option<()> {
        if line.contains(" *") {
            return None;
        }
        self.kept.push_str(line);
        Some(())
    }

    fn drop(&mut self, line: &str) -> Option<()> {
        if line.ends_with('\n') {
            self.kept.push('\n');
        }
        Some(())
    }
}

/// Returns the rule for the lines below a key of the metadata. Returns None if the key is not
/// plain.
fn rule_of(text: &str) -> Option<Rule> {
    let (key, rest) = text.split_once(':')?;
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_plain || !rest.starts_with([' ', '\n', '\r']) && !rest.is_empty() {
        return None;
    }
    Some(
        match CSV_KEYS.iter().find(|name| name.eq_ignore_ascii_case(key)) {
            Some(&"annotations") => Rule::Annotations,
            Some(_) => Rule::Keep,
            None => Rule::Drop,
        },
    )
}

#[cfg(test)]
mod tests;
