//! Searches the end of a JSON document.

use memchr::memchr3;

/// Finds the end of a document by counting brackets outside strings. The end of invalid JSON does
/// not depend on missing brackets: the document also ends at a line break in a string, and before a
/// `{` at the start of a line where JSON allows no value. So a truncated line affects only its own
/// document.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The position up to which the bytes were checked.
    seen: usize,
    depth: usize,
    is_string: bool,
    is_escaped: bool,
    /// True if the document has text outside all brackets.
    is_stray: bool,
    /// The last character outside strings that is not blank.
    before: u8,
    is_margin: bool,
}

// === impl Scan ===

impl Scan {
    pub(super) fn end(&mut self, held: &[u8]) -> Option<usize> {
        while let Some(byte) = held.get(self.seen).copied() {
            let end = if self.is_string {
                self.in_string(held, byte)
            } else {
                self.outside(byte)
            };
            if let Some(end) = end {
                *self = Self::default();
                return Some(end);
            }
        }
        None
    }

    pub(super) fn forget(&mut self) -> usize {
        std::mem::take(&mut self.seen)
    }

    fn in_string(&mut self, held: &[u8], byte: u8) -> Option<usize> {
        if std::mem::take(&mut self.is_escaped) {
            self.seen += 1;
            return None;
        }
        match byte {
            b'\\' => self.is_escaped = true,
            b'"' => {
                self.is_string = false;
                self.before = b'"';
            }
            b'\n' => return Some(self.seen + 1),
            _ => {
                let rest = &held[self.seen..];
                self.seen += memchr3(b'"', b'\\', b'\n', rest).unwrap_or(rest.len());
                return None;
            }
        }
        self.seen += 1;
        None
    }

    fn outside(&mut self, byte: u8) -> Option<usize> {
        let at = self.seen;
        let is_margin = std::mem::replace(&mut self.is_margin, byte == b'\n');
        let is_value_due = matches!(self.before, b':' | b'[' | b',');
        match byte {
            b'{' if is_margin && self.depth > 0 && !is_value_due => return Some(at),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Some(at + 1);
                }
            }
            b'"' => self.is_string = true,
            b'\n' if self.is_stray && self.depth == 0 => return Some(at + 1),
            b' ' | b'\t' | b'\r' | b'\n' => {
                self.seen += 1;
                return None;
            }
            _ => self.is_stray = true,
        }
        self.before = byte;
        self.seen += 1;
        None
    }
}
