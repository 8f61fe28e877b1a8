//! Collects the output of a template in two forms: the real text, and the text for display. In the
//! text for display, a mark replaces each part that depends on a Secret.

use std::collections::BTreeSet;

use crate::fault::{Limit, MOST_BYTES};
use crate::origin::{Origins, SecretEntry};

/// The number of bytes that a mark counts for the size limit.
const MARK: usize = 256;
/// The maximum number of entries of Secrets that a message or a mark names.
const NAMED: usize = 5;

/// The output of an evaluation.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) real: Vec<u8>,
    pub(crate) shown: Vec<u8>,
    /// The text for display, but with marks of another form. It differs from `shown` only at marks.
    /// None if there are no marks.
    pub(crate) otherwise: Option<Vec<u8>>,
}

#[derive(Debug, Default)]
pub(crate) struct Output {
    real: Vec<u8>,
    /// The text for display, without marks.
    shown: Vec<u8>,
    /// The marks, each with its position in the text for display.
    marks: Vec<(usize, Origins)>,
}

/// A position in the text for display. [`Output::hide_from`] replaces the text after it.
#[derive(Debug)]
pub(crate) struct OutputPosition {
    length: usize,
    marks: usize,
}

// === impl Output ===

impl Output {
    pub(crate) fn write(&mut self, bytes: &[u8], origins: &Origins) -> Result<(), Limit> {
        if origins.is_empty() {
            self.shown.extend_from_slice(bytes);
        } else {
            self.mark(origins);
        }
        self.write_hidden(bytes);
        // The bytes of a Secret do not count. Otherwise, the position at which the limit is
        // exceeded would reveal the number of these bytes.
        if self.shown.len() + self.marks.len() * MARK > MOST_BYTES {
            return Err(Limit::Bytes);
        }
        Ok(())
    }

    /// Writes output for which the mark was already written.
    pub(crate) fn write_hidden(&mut self, bytes: &[u8]) {
        if !self.is_overfull() {
            self.real.extend_from_slice(bytes);
        }
    }

    /// Returns true if the real text exceeds the limit.
    pub(crate) fn is_overfull(&self) -> bool {
        self.real.len() > MOST_BYTES
    }

    /// Writes a mark. Equal marks in a row are written only once, because their number could reveal
    /// a part of a Secret.
    pub(crate) fn mark(&mut self, origins: &Origins) {
        let at = self.shown.len();
        let last = self.marks.last();
        if last.is_none_or(|(place, last)| *place != at || !last.shows_as(origins)) {
            self.marks.push((at, origins.clone()));
        }
    }

    pub(crate) fn place(&self) -> OutputPosition {
        OutputPosition {
            length: self.shown.len(),
            marks: self.marks.len(),
        }
    }

    /// Replaces the text for display after a position by a mark.
    pub(crate) fn hide_from(&mut self, place: &OutputPosition, origins: &Origins) {
        self.shown.truncate(place.length);
        self.marks.truncate(place.marks);
        self.mark(origins);
    }

    /// Returns the finished texts. `known` has the entries of Secrets that the template has read.
    /// If a Secret determines on which entries a part of the text depends, the mark names all of
    /// these entries.
    pub(crate) fn into_texts(self, known: &BTreeSet<SecretEntry>) -> Texts {
        let otherwise = !self.marks.is_empty();
        Texts {
            shown: self.with_marks(known, ">"),
            otherwise: otherwise.then(|| self.with_marks(known, ")")),
            real: self.real,
        }
    }

    fn with_marks(&self, known: &BTreeSet<SecretEntry>, end: &str) -> Vec<u8> {
        let mut text = Vec::new();
        let mut from = 0;
        for (at, origins) in &self.marks {
            text.extend_from_slice(&self.shown[from..*at]);
            let names = if origins.is_chosen() {
                names(known)
            } else {
                names(origins.named())
            };
            text.extend(format!("<{names}{end}").bytes());
            from = *at;
        }
        text.extend_from_slice(&self.shown[from..]);
        text
    }
}

/// Returns the names of entries for a message, such as `Secret harbor/key password`. If there are
/// too many, returns some names and the number of the others.
pub(crate) fn names<'e>(entries: impl IntoIterator<Item = &'e SecretEntry>) -> String {
    let entries: Vec<_> = entries.into_iter().map(SecretEntry::to_string).collect();
    let mut names = entries.iter().take(NAMED).cloned().collect::<Vec<_>>();
    if entries.len() > NAMED {
        names.push(format!("and {} more", entries.len() - NAMED));
    }
    names.join(", ")
}
