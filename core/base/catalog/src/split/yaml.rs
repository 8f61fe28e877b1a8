//! Searches the end of a YAML document.

use memchr::memchr;

/// Finds the end of a document by its lines. A line that starts with `---` begins a document, and a
/// line that starts with `...` ends a document, in any context.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The start of the line that is not complete yet.
    line: usize,
    /// The position up to which there is no line break in this line.
    seen: usize,
    /// True if the document has content. Only directives and comments may precede its `---`.
    has_begun: bool,
    /// True if the beginning of the first line was dropped. Then the line cannot be `---` or `...`.
    is_torn: bool,
}

// === impl Scan ===

impl Scan {
    pub(super) fn end(&mut self, held: &[u8]) -> Option<usize> {
        while let Some(length) = memchr(b'\n', &held[self.seen..]) {
            let start = self.line;
            let end = self.seen + length + 1;
            let line = &held[start..end];
            let is_torn = std::mem::take(&mut self.is_torn);
            if !is_torn && is_marker(line, b"---") {
                if self.has_begun {
                    *self = Self::default();
                    return Some(start);
                }
                self.has_begun = line.len() > b"---".len() && !is_blank_line(&line[3..]);
            } else if !is_torn && is_marker(line, b"...") && self.has_begun {
                *self = Self::default();
                return Some(end);
            } else {
                self.has_begun |= !is_blank_line(line) && !line.starts_with(b"%");
            }
            self.line = end;
            self.seen = end;
        }
        self.seen = held.len();
        None
    }

    pub(super) fn forget(&mut self) -> usize {
        let gone = match self.line {
            0 => self.seen,
            line => line,
        };
        self.is_torn |= self.line == 0 && gone > 0;
        self.line = 0;
        self.seen -= gone;
        self.has_begun = true;
        gone
    }
}

/// Returns true if the document contains only `---`, `...`, comments and blanks.
pub(super) fn is_blank(document: &[u8]) -> bool {
    document.split(|byte| *byte == b'\n').all(|line| {
        let line = line.trim_ascii();
        matches!(line, b"---" | b"...") || is_blank_line(line)
    })
}

fn is_marker(line: &[u8], marker: &[u8]) -> bool {
    line.strip_prefix(marker)
        .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

fn is_blank_line(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#'))
}
