//! Parses field selectors.

use std::str::FromStr;

use super::NotASelector;
use crate::Installed;

/// A field selector: requirements for `metadata.name` and `metadata.namespace`. An object must
/// satisfy all of them. An empty selector selects all objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSelector(Vec<Term>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    field: Field,
    value: String,
    is_equal: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Name,
    Namespace,
}

// === impl FieldSelector ===

impl FieldSelector {
    /// Returns true if an Installed satisfies all requirements.
    pub fn matches(&self, installed: &Installed) -> bool {
        self.0.iter().all(|term| {
            let found = match term.field {
                Field::Name => &installed.name,
                Field::Namespace => &installed.namespace,
            };
            (**found == *term.value) == term.is_equal
        })
    }

    /// Returns the name that an object must have. Returns None if the selector does not require one
    /// name.
    pub fn name(&self) -> Option<&str> {
        self.only(Field::Name)
    }

    /// Returns the namespace that an object must have. Returns None if the selector does not
    /// require one namespace.
    pub fn namespace(&self) -> Option<&str> {
        self.only(Field::Namespace)
    }

    fn only(&self, field: Field) -> Option<&str> {
        let mut terms = self.0.iter();
        let term = terms.find(|term| term.is_equal && term.field == field);
        term.map(|term| &*term.value)
    }
}

impl FromStr for FieldSelector {
    type Err = NotASelector;

    fn from_str(selector: &str) -> Result<Self, NotASelector> {
        let terms = split(selector).into_iter().filter(|term| !term.is_empty());
        let terms = terms.map(|term| {
            let unexpected = |wanted, found: &str| NotASelector::Unexpected {
                selector: selector.to_owned(),
                wanted,
                found: found.to_owned(),
            };
            let (name, operator, value) =
                halves(term).ok_or_else(|| unexpected("FIELD=VALUE or FIELD!=VALUE", term))?;
            let field = match name {
                "metadata.name" => Field::Name,
                "metadata.namespace" => Field::Namespace,
                other => return Err(NotASelector::Field(other.to_owned())),
            };
            let value = unescaped(value).ok_or_else(|| unexpected("a value", value))?;
            Ok(Term {
                field,
                value,
                is_equal: operator != "!=",
            })
        });
        terms.collect::<Result<_, _>>().map(Self)
    }
}

/// Splits a selector at commas that are not escaped.
fn split(selector: &str) -> Vec<&str> {
    let mut is_escaped = false;
    let parts = selector.split(move |char: char| {
        let is_end = char == ',' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        is_end
    });
    parts.collect()
}

/// Splits a requirement at its operator, into the field, the operator and the value.
fn halves(term: &str) -> Option<(&str, &str, &str)> {
    let at = term.find(['=', '!'])?;
    let (name, rest) = term.split_at(at);
    let operators = ["!=", "==", "="].into_iter();
    let mut fitting = operators.filter_map(|each| Some((each, rest.strip_prefix(each)?)));
    let (operator, value) = fitting.next()?;
    Some((name, operator, value))
}

/// Removes the escapes from a value. Returns None if a comma, an equals sign or a backslash is not
/// escaped.
fn unescaped(value: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = value.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => text.push(
                chars
                    .next()
                    .filter(|next| ['\\', ',', '='].contains(next))?,
            ),
            ',' | '=' => return None,
            other => text.push(other),
        }
    }
    Some(text)
}
