//! Splits a file into its documents while its bytes arrive.
//!
//! The splitter has only one document in memory, so the memory is limited by the longest document
//! and not by the file. An invalid document does not affect later documents: YAML is split at `---`
//! lines, and JSON at closing brackets or at the first text that cannot be JSON.

mod json;
mod yaml;

use memchr::memchr_iter;

use crate::Limits;

/// The maximum number of bytes that are copied from the input at once.
const CHUNK: usize = 64 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The format of a file. Its first character determines the format, not its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Yaml,
    Json,
}

/// A document, with its first line and the offset of its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece<'b> {
    pub(crate) format: Format,
    pub(crate) line: u64,
    pub(crate) offset: u64,
    /// The bytes of the document. None if the document is too long and was skipped.
    pub(crate) bytes: Option<&'b [u8]>,
}

/// Splits a file into documents.
#[derive(Debug)]
pub(crate) struct Splitter {
    longest: usize,
    scan: Scan,
    /// The bytes that are not split yet. They start with an unfinished document.
    held: Vec<u8>,
    line: u64,
    offset: u64,
    /// True if the beginning of the current document was dropped because the document is too long.
    is_too_long: bool,
}

/// Searches the end of a document, in the format of the file.
#[derive(Debug)]
enum Scan {
    /// The format is unknown, because only blanks have been read.
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

    /// Returns the number of the current line.
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

    /// Ends the file. The remaining bytes are its last document.
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

    /// Determines the format from the first character of the file.
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

    /// Passes a document to `found`. The document is between the positions `from` and `to` in the
    /// held bytes.
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

    /// Drops the held bytes of a document that is too long. Reports such a document only once.
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
    /// Returns the end of the document at the start of `held`. Returns None if the document is
    /// incomplete. Checks each byte only once.
    fn end(&mut self, held: &[u8]) -> Option<usize> {
        match self {
            Self::Start => None,
            Self::Yaml(scan) => scan.end(held),
            Self::Json(scan) => scan.end(held),
        }
    }

    /// Returns the number of bytes in `held` that can be dropped. The search continues after them.
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

    /// Returns true if the bytes contain only blanks, comments or separators.
    fn is_blank(&self, document: &[u8]) -> bool {
        match self {
            Self::Start => true,
            Self::Yaml(_) => yaml::is_blank(document),
            // Some programs write the YAML separator `---` between JSON documents.
            Self::Json(_) => matches!(document.trim_ascii(), b"" | b"---"),
        }
    }
}

fn lines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests;
