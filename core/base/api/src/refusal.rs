//! The errors of an invalid spec. Each error is one sentence with the field, the value and the
//! remedy.

use std::fmt;

use crate::Form;
use crate::operator_policy::DISABLE_TEMPLATES;

/// An invalid field and its error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The path of the field, such as `spec.versions[1]`.
    pub field: String,
    pub flaw: Flaw,
}

/// The error in a field. Its message continues a sentence that starts with the path of the field.
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
        /// The known field whose name is most similar.
        nearest: Option<&'static str>,
        known: &'static [&'static str],
    },
    /// A field that exists only in the other form of OperatorPolicy.
    #[error("{}; {instead}", other_form(*form))]
    OtherForm { form: Form, instead: &'static str },
    #[error("is {found}; write {}", either(options))]
    Word {
        /// The value that the author wrote, in quotes.
        found: String,
        options: Vec<&'static str>,
    },
    /// A value that is invalid, alone or in combination with other fields.
    #[error("{0}")]
    Value(String),
    /// A template that was not resolved.
    #[error(
        "contains a template that was not rendered; write the value, or set the annotation \
         {DISABLE_TEMPLATES} to \"true\" if the text is not a template"
    )]
    Template,
    /// A template that must be resolved on the hub cluster.
    #[error("has a hub template, {{{{hub … hub}}}}, which only the hub cluster can resolve")]
    HubTemplate,
    /// A template that could not be resolved. Contains the message of the template engine.
    #[error("cannot be resolved: {0}")]
    Unresolved(String),
}

/// The errors of a spec, in the order of its fields. There is at least one error.
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
    /// Wraps the errors of a parser. There must be at least one error.
    pub(crate) fn new(refusals: Vec<Refusal>) -> Self {
        debug_assert!(!refusals.is_empty(), "a failed parse must have a reason");
        Self(refusals)
    }

    /// Returns the parsed value if there are no errors. Otherwise, returns the errors.
    pub(crate) fn unless<T>(refused: Vec<Refusal>, draft: Option<T>) -> Result<T, Self> {
        draft
            .filter(|_| refused.is_empty())
            .ok_or_else(|| Self::new(refused))
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Refusal> {
        self.0.iter()
    }

    /// Returns one sentence for each error.
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

/// Returns a hint to add quotes, if YAML read a text as a value of another type.
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

/// Returns the options as text: `a`, `a or b`, or `a, b or c`.
fn either(options: &[&str]) -> String {
    match options {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}

/// Returns a text in quotes. Escapes control characters, and truncates a long text.
pub(crate) fn quoted(text: &str) -> String {
    format!("{:?}", cut(text))
}

/// Truncates a text for a sentence.
pub(crate) fn cut(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
