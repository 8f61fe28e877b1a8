//! Splits the bytes of a file into its documents while the bytes arrive.
//!
//! Only one document is held at a time, so the memory is limited by the longest document, not by
//! the file. An invalid document does not affect later ones: YAML is split at its lines `---`, and
//! JSON at closing brackets or at the first text that cannot be JSON.

mod json;
mod yaml;

use memchr::memchr_iter;

use crate::Limits;

/// The maximum number of bytes of a long input that are copied at once.
const CHUNK: usize = 64 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The format of a file. The first character determines it, not the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Yaml,
    Json,
}

/// A document, with the line and the byte at which it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece<'b> {
    pub(crate) format: Format,
    pub(crate) line: u64,
    pub(crate) offset: u64,
    /// The bytes. None for a document that was skipped because it is longer than the limit.
    pub(crate) bytes: Option<&'b [u8]>,
}

/// The cutter of a file.
#[derive(Debug)]
pub(crate) struct Splitter {
    longest: usize,
    scan: Scan,
    /// The bytes that are not split yet. They begin with the start of a document.
    held: Vec<u8>,
    line: u64,
    offset: u64,
    /// True if the beginning of this document was already skipped.
    is_too_long: bool,
}

/// Searches for the end of a document.
#[derive(Debug)]
enum Scan {
    /// Only blanks have been read so far.
    Start,
    Yaml(yaml::Scan),
    Json(json::Scan),
}

// === impl Splitter ===

impl Splitter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            longest: limits.document,
            scan: Scan::Start,
            held: Vec::new(),
            line: 1,
            offset: 0,
            is_too_long: false,
        }
    }

    /// The number of the current line.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Adds the next bytes of the file, and passes each complete document to `found`.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut found: impl FnMut(Piece<'_>)) {
        for chunk in bytes.chunks(CHUNK) {
            self.held.extend_from_slice(chunk);
            self.cut(&mut found);
        }
    }

    /// Ends the file: the held bytes are its last document.
    pub(crate) fn finish(mut self, mut found: impl FnMut(Piece<'_>)) {
        self.start(true);
        self.cut(&mut found);
        let end = self.held.len();
        self.give(0, end, &mut found);
    }

    fn cut(&mut self, found: &mut impl FnMut(Piece<'_>)) {
        self.start(false);
        let mut from = 0;
        while let Some(end) = self.scan.end(&self.held[from..]) {
            self.give(from, from + end, found);
            from += end;
        }
        self.held.drain(..from);
        while self.held.len() > self.longest {
            self.let_go(found);
        }
    }

    /// Determines the format at the first character.
    fn start(&mut self, is_all: bool) {
        if !matches!(self.scan, Scan::Start) || !is_all && self.held.len() < BYTE_ORDER_MARK.len() {
            return;
        }
        if self.offset == 0 && self.held.starts_with(BYTE_ORDER_MARK) {
            self.held.drain(..BYTE_ORDER_MARK.len());
            self.offset += BYTE_ORDER_MARK.len() as u64;
        }
        self.scan = match self.held.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => return,
            Some(b'{' | b'[') => Scan::Json(json::Scan::default()),
            Some(_) => Scan::Yaml(yaml::Scan::default()),
        };
    }

    /// Passes on the document between two positions of the held bytes, and continues after it.
    fn give(&mut self, from: usize, to: usize, found: &mut impl FnMut(Piece<'_>)) {
        let bytes = &self.held[from..to];
        let blank = bytes.len() - bytes.trim_ascii_start().len();
        let (leading, document) = bytes.split_at(blank);
        self.line += lines(leading);
        self.offset += leading.len() as u64;
        let (is_too_long, format) = (self.is_too_long, self.scan.format());
        if !is_too_long && !self.scan.is_blank(document) {
            found(Piece {
                format,
                line: self.line,
                offset: self.offset,
                bytes: (document.len() <= self.longest).then_some(document),
            });
        }
        self.line += lines(document);
        self.offset += document.len() as u64;
        self.is_too_long = false;
    }

    /// Drops the beginning of a document that is longer than the limit.
    fn let_go(&mut self, found: &mut impl FnMut(Piece<'_>)) {
        if !self.is_too_long {
            let blank = self.held.len() - self.held.trim_ascii_start().len();
            found(Piece {
                format: self.scan.format(),
                line: self.line + lines(&self.held[..blank]),
                offset: self.offset + blank as u64,
                bytes: None,
            });
        }
        let gone = self.scan.forget(self.held.len());
        self.line += lines(&self.held[..gone]);
        self.offset += gone as u64;
        self.held.drain(..gone);
        self.is_too_long = true;
    }
}

// === impl Scan ===

impl Scan {
    /// Returns the end of the document that begins at the start of `held`. Returns None if it is
    /// incomplete. Each byte is checked only once.
    fn end(&mut self, held: &[u8]) -> Option<usize> {
        match self {
            Self::Start => None,
            Self::Yaml(scan) => scan.end(held),
            Self::Json(scan) => scan.end(held),
        }
    }

    /// Returns the number of `held` bytes that can be dropped. The scan continues after them.
    fn forget(&mut self, held: usize) -> usize {
        match self {
            Self::Start => held,
            Self::Yaml(scan) => scan.forget(),
            Self::Json(scan) => scan.forget(),
        }
    }

    fn format(&self) -> Format {
        match self {
            Self::Start | Self::Yaml(_) => Format::Yaml,
            Self::Json(_) => Format::Json,
        }
    }

    /// Returns true if the bytes contain no document.
    fn is_blank(&self, document: &[u8]) -> bool {
        match self {
            Self::Start => true,
            Self::Yaml(_) => yaml::is_blank(document),
            // Some writers put the separator of YAML between documents of JSON.
            Self::Json(_) => matches!(document.trim_ascii(), b"" | b"---"),
        }
    }
}

fn lines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests;
