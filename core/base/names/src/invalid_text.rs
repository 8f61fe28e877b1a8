//! Errors in texts, with the position of the error.

use std::fmt::Display;

/// The error for an invalid text. Contains the text, the position of the error, and the flaw at
/// this position.
///
/// `Display` writes one sentence without line breaks. Control characters and quotes in the text are
/// escaped, and a long text is truncated.
///
/// ```
/// let refusal = portolan_core_names::PackageName::parse("-quay").unwrap_err();
/// assert_eq!(
///     refusal.to_string(),
///     r#""-quay" is not a package name: at column 1, a letter or digit must come first"#
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a {noun}: at column {column}, {flaw}")]
pub struct InvalidText<F: Display> {
    noun: &'static str,
    text: Box<str>,
    column: usize,
    flaw: F,
}

impl<F: Display> InvalidText<F> {
    /// The rejected text, truncated if it is long.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The position of the error, in characters from the start of the text. The first character is
    /// 1.
    pub fn column(&self) -> usize {
        self.column
    }

    pub fn flaw(&self) -> &F {
        &self.flaw
    }
}

/// An error inside a parser. Contains the position in bytes, but not the text.
///
/// A parser may get only a substring. Its caller then [shifts](Self::shift) the position to the
/// position in the whole text. The outermost parser has the whole text and creates the
/// [`InvalidText`].
#[derive(Debug)]
pub(crate) struct FlawAt<F> {
    at: usize,
    flaw: F,
}

impl<F: Display> FlawAt<F> {
    pub(crate) fn new(at: usize, flaw: F) -> Self {
        Self { at, flaw }
    }

    pub(crate) fn shift(self, by: usize) -> Self {
        Self {
            at: self.at + by,
            ..self
        }
    }

    pub(crate) fn map<G>(self, wrap: impl FnOnce(F) -> G) -> FlawAt<G> {
        FlawAt {
            at: self.at,
            flaw: wrap(self.flaw),
        }
    }

    pub(crate) fn refuse(self, noun: &'static str, text: &str) -> InvalidText<F> {
        let Self { at, flaw } = self;
        let column = text
            .char_indices()
            .take_while(|(index, _)| *index < at)
            .count()
            + 1;
        InvalidText {
            noun,
            text: excerpt(text),
            column,
            flaw,
        }
    }
}

/// Returns the text, truncated if it is too long to be quoted in a sentence.
pub(crate) fn excerpt(text: &str) -> Box<str> {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
