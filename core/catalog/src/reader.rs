//! The bytes of a file become a [`Reading`].

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::document::wanted::Wanted;
use crate::document::{self, Desk, Document, Outcome, Remark};
use crate::fault::Trouble;
use crate::node::{self, Broken, Cause, Node};
use crate::place::Place;
use crate::reading::Draft;
use crate::split::{Format, Piece, Splitter};
use crate::{Limits, Reading};

/// Reads one file, in as many steps as its bytes come in.
///
/// # Guarantees
///
/// Whatever the bytes are, reading ends in time that grows with their number, holds no more of
/// them than the longest document that the [`Limits`] allow, and never panics.
#[derive(Debug)]
pub struct Reader {
    limits: Limits,
    splitter: Splitter,
    draft: Draft,
    /// How many more bytes the file may have.
    left: u64,
}

// === impl Reader ===

impl Reader {
    /// A reader of a file; `file` is what faults call it.
    pub fn new(file: &str) -> Self {
        Self::with_limits(file, Limits::default())
    }

    /// A reader with bounds of its own.
    pub fn with_limits(file: &str, limits: Limits) -> Self {
        Self {
            limits,
            splitter: Splitter::new(&limits),
            draft: Draft::new(file, &limits),
            left: limits.file,
        }
    }

    /// Whether a file of that name is part of a catalog, zipped or not.
    pub fn reads(file: &str) -> bool {
        let file = file.strip_suffix(".gz").unwrap_or(file);
        matches!(
            file.rsplit_once('.').map(|(_, extension)| extension),
            Some("yaml" | "yml" | "json" | "jsonl")
        )
    }

    /// Takes the next bytes. Breaks when the file is longer than its limit; then there is no use
    /// in more of them.
    pub fn feed(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        let taken = usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let (limits, draft) = (&self.limits, &mut self.draft);
        self.splitter
            .feed(&bytes[..taken], |piece| take(piece, limits, draft));
        self.left -= taken as u64;
        if taken == bytes.len() {
            return ControlFlow::Continue(());
        }
        let trouble = Trouble::TooMuch {
            what: "a file of more bytes",
            limit: self.limits.file,
        };
        self.draft.fault(1, trouble);
        ControlFlow::Break(())
    }

    /// Notes what is wrong with something that never became bytes: for those who do not read files,
    /// but write the documents of a catalog from what they are told.
    pub fn complain(&mut self, package: &str, subject: &str, trouble: Trouble) {
        let remark = Remark {
            line: self.splitter.line(),
            subject: crate::node::excerpt(subject).into_owned(),
            trouble,
        };
        self.draft.fault_of(Some(package), remark);
    }

    /// The file ends here.
    pub fn finish(mut self) -> Reading {
        let (limits, draft) = (&self.limits, &mut self.draft);
        self.splitter.finish(|piece| take(piece, limits, draft));
        self.draft.finish()
    }

    /// The file ends here, and not well: what was read of it counts, and `why` is a fault.
    pub fn break_off(mut self, why: &str) -> Reading {
        self.draft.fault(1, Trouble::Unreadable(why.to_owned()));
        self.finish()
    }
}

/// Reads a document into the draft.
fn take(piece: Piece<'_>, limits: &Limits, draft: &mut Draft) {
    let Piece {
        format,
        line,
        offset,
        bytes,
    } = piece;
    let Some(bytes) = bytes else {
        return draft.fault(line, Cause::Bytes(limits.document).into());
    };
    let place = Place {
        file: Arc::clone(&draft.reading.file),
        line,
        offset,
        length: bytes.len() as u64,
    };
    let read = match format {
        Format::Json => take_json(bytes, &place, limits, draft),
        Format::Yaml => take_yaml(bytes, &place, limits, draft),
    };
    if let Err(Broken { line, cause }) = read {
        draft.fault(line, cause.into());
    }
}

fn take_json(
    bytes: &[u8],
    place: &Place,
    limits: &Limits,
    draft: &mut Draft,
) -> Result<(), Broken> {
    let node = node::json::parse(bytes, place.line, Wanted::Document, limits)?;
    if settle(&node, place, false, draft) {
        let node = node::json::parse(bytes, place.line, Wanted::All, limits)?;
        settle(&node, place, true, draft);
    }
    Ok(())
}

/// Tries with the lines that matter first. Whatever comes of that but a sound document is left to
/// a reading of all lines.
fn take_yaml(
    bytes: &[u8],
    place: &Place,
    limits: &Limits,
    draft: &mut Draft,
) -> Result<(), Broken> {
    let text = node::yaml::text(bytes, place.line)?;
    if let Some(cut) = node::yaml::cut(text)
        && let Ok(Some(node)) = node::yaml::parse(&cut, place.line, limits)
        && !settle(&node, place, false, draft)
    {
        return Ok(());
    }
    if let Some(node) = node::yaml::parse(text, place.line, limits)? {
        settle(&node, place, true, draft);
    }
    Ok(())
}

/// Puts what a tree says into the draft; true if it is to be read again, whole.
fn settle(node: &Node<'_>, place: &Place, is_whole: bool, draft: &mut Draft) -> bool {
    let mut desk = Desk::new(&mut draft.words, is_whole, &draft.limits);
    let read = document::read(node, place, &mut desk);
    let Desk {
        mut remarks,
        package,
        subject,
        unlisted,
        words: _,
        is_whole: _,
        most_entries: _,
    } = desk;
    match read {
        Ok(Outcome::Again) => return true,
        Ok(Outcome::Foreign(schema)) => draft.foreign(&schema),
        Ok(Outcome::Read(package, content)) => draft.reading.documents.push(Document {
            place: place.clone(),
            package,
            content,
        }),
        Err(complaint) => remarks.push(complaint.about(&subject)),
    }
    for remark in remarks {
        draft.fault_of(package.as_deref(), remark);
    }
    draft.leave_out(place.line, unlisted);
    false
}
