//! Reads the fields of an object, and checks their types.

use std::borrow::Cow;
use std::fmt::Display;

use portolan_core_names::VersionRange;

use super::{LineDefect, ReadContext};
use crate::fault::{Defect, Severity};
use crate::node::{Node, Value};

/// An object of a document. As in opm, upper and lower case in keys makes no difference.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'n, 'a> {
    /// The description of the object in error messages.
    what: &'static str,
    pub(super) line: u64,
    entries: &'n [(Cow<'a, str>, Node<'a>)],
}

// === impl Fields ===

impl<'n, 'a> Fields<'n, 'a> {
    /// Adds a warning for each part of a range that has another meaning than it seems to have, or
    /// another meaning in OLM.
    pub(super) fn warn_of(
        &self,
        key: &'static str,
        range: &VersionRange,
        context: &mut ReadContext<'_>,
    ) {
        for warning in range.warnings() {
            let defect = Defect::Doubtful {
                key,
                sentence: format!("{:?}: {warning}", range.as_str()),
                severity: Severity::Warning,
            };
            context.note(self.error(key, defect));
        }
    }

    /// Reads a value as an object, and checks that each of the `known` keys occurs at most once.
    pub(crate) fn of(
        what: &'static str,
        node: &'n Node<'a>,
        known: &[&str],
        context: &mut ReadContext<'_>,
    ) -> Result<Self, LineDefect> {
        let Value::Map(entries) = &node.value else {
            return Err(mistyped(node, what, "an object"));
        };
        let fields = Self {
            what,
            line: node.line,
            entries,
        };
        for key in known {
            fields.is_unique(key, context)?;
        }
        Ok(fields)
    }

    /// Returns the value of a key. If the key occurs several times, returns its last value.
    pub(crate) fn find(&self, key: &str) -> Option<&'n Node<'a>> {
        self.spelled(key).next_back().map(|(_, node)| node)
    }

    /// Returns the text under a key. Returns None if the text is missing.
    pub(crate) fn text(&self, key: &str) -> Result<Option<&'n str>, LineDefect> {
        match self.find(key).map(|node| (node, &node.value)) {
            None | Some((_, Value::Null)) => Ok(None),
            Some((_, Value::Text(text))) => Ok(Some(text)),
            Some((node, Value::Number(_) | Value::Bool(_))) => {
                Err(mistyped(node, key, "a quoted string"))
            }
            Some((node, Value::List(_) | Value::Map(_) | Value::Skipped)) => {
                Err(mistyped(node, key, "a text"))
            }
        }
    }

    /// Returns the text under a key. Returns an error if the text is missing or empty.
    pub(crate) fn required_text(&self, key: &'static str) -> Result<&'n str, LineDefect> {
        match self.text(key)? {
            None | Some("") => Err(self.missing(key)),
            Some(text) => Ok(text),
        }
    }

    /// Returns the elements of the list under a key. Returns no elements if the list is missing.
    pub(crate) fn list(&self, key: &str) -> Result<&'n [Node<'a>], LineDefect> {
        match self.find(key).map(|node| (node, &node.value)) {
            None | Some((_, Value::Null)) => Ok(&[]),
            Some((_, Value::List(items))) => Ok(items),
            Some((node, _)) => Err(mistyped(node, key, "a list")),
        }
    }

    /// Returns the text under a key, parsed as `T`. Returns None if the text is missing or empty.
    pub(super) fn parsed<T>(&self, key: &'static str) -> Result<Option<T>, LineDefect>
    where
        T: for<'t> TryFrom<&'t str, Error: Display>,
    {
        match self.text(key)? {
            None | Some("") => Ok(None),
            Some(text) => T::try_from(text)
                .map(Some)
                .map_err(|refusal| self.refused(key, &refusal)),
        }
    }

    /// Returns the text under a key, parsed as `T`. Returns an error if the text is missing or
    /// empty.
    pub(super) fn required<T>(&self, key: &'static str) -> Result<T, LineDefect>
    where
        T: for<'t> TryFrom<&'t str, Error: Display>,
    {
        self.parsed(key)?.ok_or_else(|| self.missing(key))
    }

    pub(crate) fn refused(&self, key: &'static str, refusal: &impl Display) -> LineDefect {
        let refusal = refusal.to_string();
        self.error(key, Defect::Refused { key, refusal })
    }

    pub(crate) fn missing(&self, key: &'static str) -> LineDefect {
        let what = self.what;
        self.error(key, Defect::Missing { what, key })
    }

    /// Returns a defect on the line of the key's value. If the key is missing, the defect is on the
    /// line of the object.
    pub(super) fn error(&self, key: &str, defect: Defect) -> LineDefect {
        let line = self.find(key).map_or(self.line, |node| node.line);
        LineDefect { line, defect }
    }

    fn spelled<'k>(
        &self,
        key: &'k str,
    ) -> impl DoubleEndedIterator<Item = (&'n str, &'n Node<'a>)> + use<'k, 'n, 'a> {
        let matching = move |(name, node): &'n (Cow<'a, str>, Node<'a>)| {
            name.eq_ignore_ascii_case(key)
                .then_some((name.as_ref(), node))
        };
        self.entries.iter().filter_map(matching)
    }

    fn is_unique(&self, key: &str, context: &mut ReadContext<'_>) -> Result<(), LineDefect> {
        let mut spelled = self.spelled(key);
        let Some((first, _)) = spelled.next() else {
            return Ok(());
        };
        let mut is_noted = false;
        for (other, node) in spelled {
            if first == other && std::mem::replace(&mut is_noted, true) {
                continue;
            }
            let defect = if first == other {
                Defect::KeyTwice(first.to_owned())
            } else {
                Defect::Spellings {
                    first: first.to_owned(),
                    second: other.to_owned(),
                }
            };
            let error = LineDefect {
                line: node.line,
                defect,
            };
            if first == other {
                context.note(error)
            } else {
                return Err(error);
            }
        }
        Ok(())
    }
}

pub(super) fn mistyped(node: &Node<'_>, key: &str, expected: &'static str) -> LineDefect {
    LineDefect {
        line: node.line,
        defect: Defect::Type {
            key: key.to_owned(),
            found: node.value.describe(),
            expected,
        },
    }
}
