//! What a template writes: as it is, and as it may be shown.

use crate::fault::{Limit, MOST_BYTES};
use crate::origin::Origins;

#[derive(Debug, Default)]
pub(crate) struct Output {
    real: Vec<u8>,
    shown: Vec<u8>,
    /// The Secrets that the last mark names, while nothing follows it.
    last: Option<Origins>,
}

// === impl Output ===

impl Output {
    pub(crate) fn write(&mut self, bytes: &[u8], origins: &Origins) -> Result<(), Limit> {
        if bytes.is_empty() && origins.is_empty() {
            return Ok(());
        }
        self.real.extend_from_slice(bytes);
        if origins.is_empty() {
            self.shown.extend_from_slice(bytes);
            self.last = None;
        } else if self.last.as_ref() != Some(origins) {
            self.shown.extend(origins.to_string().bytes());
            self.last = Some(origins.clone());
        }
        if self.real.len().max(self.shown.len()) > MOST_BYTES {
            return Err(Limit::Bytes);
        }
        Ok(())
    }

    /// A place that [`Self::hide_from`] takes.
    pub(crate) fn place(&self) -> usize {
        self.shown.len()
    }

    /// Shows nothing of what was written since then but a mark.
    pub(crate) fn hide_from(&mut self, place: usize, origins: &Origins) {
        self.shown.truncate(place);
        self.shown.extend(origins.to_string().bytes());
        self.last = Some(origins.clone());
    }

    pub(crate) fn into_texts(self) -> (Vec<u8>, Vec<u8>) {
        (self.real, self.shown)
    }
}
