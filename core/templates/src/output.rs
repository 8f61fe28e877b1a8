//! The output of a template: as it is, and as it may be shown.

use crate::fault::{Limit, MOST_BYTES};
use crate::origin::Origins;

#[derive(Debug, Default)]
pub(crate) struct Output {
    real: Vec<u8>,
    shown: Vec<u8>,
    /// The Secrets that the last mark names, while nothing follows it.
    last: Option<Origins>,
}

/// A position in the text to show, to go back to.
#[derive(Debug)]
pub(crate) struct Place {
    length: usize,
    last: Option<Origins>,
}

// === impl Output ===

impl Output {
    pub(crate) fn write(&mut self, bytes: &[u8], origins: &Origins) -> Result<(), Limit> {
        if !origins.is_empty() {
            self.mark(origins);
        } else if !bytes.is_empty() {
            self.shown.extend_from_slice(bytes);
            self.last = None;
        }
        self.write_hidden(bytes)
    }

    /// Writes bytes for which a mark stands there already.
    pub(crate) fn write_hidden(&mut self, bytes: &[u8]) -> Result<(), Limit> {
        self.real.extend_from_slice(bytes);
        if self.real.len().max(self.shown.len()) > MOST_BYTES {
            return Err(Limit::Bytes);
        }
        Ok(())
    }

    /// Shows the mark of a Secret, but only once in a row: the number of repetitions may reveal
    /// something of the Secret.
    pub(crate) fn mark(&mut self, origins: &Origins) {
        if self.last.as_ref() != Some(origins) {
            self.shown.extend(origins.to_string().bytes());
            self.last = Some(origins.clone());
        }
    }

    pub(crate) fn place(&self) -> Place {
        Place {
            length: self.shown.len(),
            last: self.last.clone(),
        }
    }

    /// Shows nothing of what was written since then but a mark.
    pub(crate) fn hide_from(&mut self, place: Place, origins: &Origins) {
        self.shown.truncate(place.length);
        self.last = place.last;
        self.mark(origins);
    }

    pub(crate) fn into_texts(self) -> (Vec<u8>, Vec<u8>) {
        (self.real, self.shown)
    }
}
