//! The refusals of a policy: one sentence for each flaw, with the field, the value and the remedy.

use std::fmt;

use crate::Form;
use crate::operator_policy::DISABLE_TEMPLATES;

/// A field with a flaw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The path of the field, such as `spec.versions[1]`.
    pub field: String,
    pub flaw: Flaw,
}

/// The flaw of a field. Its message continues a sentence that starts with the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error("is missing; {0}")]
    Missing(&'static str),
    #[error("is {found}, but must be {wanted}{}", quotes(found, wanted))]
    Type {
        found: &'static str,
        wanted: &'static str,
    },
    #[error("is not a known field; {}", hint(*nearest, known))]
    Unknown {
        /// The most similar known field.
        nearest: Option<&'static str>,
        known: &'static [&'static str],
    },
    /// The field belongs to the other form of policies.
    #[error("{}; {instead}", other_form(*form))]
    OtherForm { form: Form, instead: &'static str },
    #[error("is {found}; write {}", either(options))]
    Word {
        /// The value, in quotes.
        found: String,
        options: Vec<&'static str>,
    },
    /// The value is invalid, alone or in combination with other fields.
    #[error("{0}")]
    Value(String),
    /// A template, which the parser does not resolve.
    #[error(
        "contains a template that was not rendered; write the value, or set the annotation \
         {DISABLE_TEMPLATES} to \"true\" if the text is not a template"
    )]
    Template,
    /// A template for another cluster.
    #[error("has a hub template, {{{{hub … hub}}}}, which only the hub cluster can resolve")]
    HubTemplate,
    /// A template that failed to resolve, with the message of the template engine.
    #[error("cannot be resolved: {0}")]
    Unresolved(String),
}

/// The errors of a policy, in the order of its fields. There is at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusals(Vec<Refusal>);

// === impl Refusal ===

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, flaw } = self;
        write!(f, "{field} {flaw}")
    }
}

// === impl Refusals ===

impl Refusals {
    /// Wraps the refusals of a parser. There must be at least one.
    pub(crate) fn new(refusals: Vec<Refusal>) -> Self {
        debug_assert!(!refusals.is_empty(), "a failed parse must have a reason");
        Self(refusals)
    }

    /// Returns the parsed value if nothing was rejected.
    pub(crate) fn unless<T>(refused: Vec<Refusal>, draft: Option<T>) -> Result<T, Self> {
        draft
            .filter(|_| refused.is_empty())
            .ok_or_else(|| Self::new(refused))
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Refusal> {
        self.0.iter()
    }

    /// Returns one sentence for each refusal.
    pub fn sentences(&self) -> Vec<String> {
        self.0.iter().map(Refusal::to_string).collect()
    }
}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentences().join(". "))
    }
}

impl std::error::Error for Refusals {}

impl<'a> IntoIterator for &'a Refusals {
    type Item = &'a Refusal;
    type IntoIter = std::slice::Iter<'a, Refusal>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Returns a hint about strings that YAML parses as another type.
fn quotes(found: &str, wanted: &str) -> &'static str {
    match (found, wanted) {
        ("a number" | "true or false", "a text") => "; put it in quotes",
        _ => "",
    }
}

fn hint(nearest: Option<&str>, known: &[&str]) -> String {
    match nearest {
        Some(nearest) => format!("did you mean {nearest:?}?"),
        None => format!("allowed are {}", known.join(", ")),
    }
}

fn other_form(form: Form) -> &'static str {
    match form {
        Form::Design => "cannot be used with spec.allowedCSVs",
        Form::Established => "requires spec.allowedCSVs",
    }
}

/// Returns a list such as `a`, `a or b`, or `a, b or c`.
fn either(options: &[&str]) -> String {
    match options {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}

/// Returns a string in quotes, with control characters escaped. A long string is truncated.
pub(crate) fn quoted(text: &str) -> String {
    format!("{:?}", cut(text))
}

/// Truncates a string for a sentence.
pub(crate) fn cut(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
