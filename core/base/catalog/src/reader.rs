//! Reads the bytes of a file into a [`Reading`].

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::Reading;
use crate::document::selection::Selection;
use crate::document::{self, Document, Note, Outcome, ReadContext};
use crate::fault::Defect;
use crate::model::CatalogPlace;
use crate::node::{self, Broken, Cause, Keys, Node};
use crate::reading::Builder;
use crate::split::{Format, Piece, Splitter};

/// The suffixes of uncompressed catalog files.
const EXTENSIONS: [&str; 4] = [".yaml", ".yml", ".json", ".jsonl"];

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// The file is not compressed.
    Plain,
    /// The file is a sequence of gzip streams.
    Gzip,
}

/// The supported compressions.
const COMPRESSED: [Packing; 1] = [Packing::Gzip];

/// Reads one file. The caller passes its bytes in chunks of any size.
///
/// # Guarantees
///
/// The time is proportional to the number of bytes. The memory is limited by the longest document
/// that the [`Limits`] allow. The reader never panics.
#[derive(Debug)]
pub struct Reader {
    limits: Limits,
    splitter: Splitter,
    builder: Builder,
    /// The number of bytes that the file may still have.
    left: u64,
}

// === impl Packing ===

impl Packing {
    /// Returns the suffix of file names with this compression.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Gzip => ".gz",
        }
    }
}

// === impl Reader ===

impl Reader {
    /// Creates a reader for one file. `file` is the name of the file in faults.
    pub fn new(file: &str) -> Self {
        Self::with_limits(file, Limits::default())
    }

    /// Creates a reader for one file, with these limits.
    pub fn with_limits(file: &str, limits: Limits) -> Self {
        Self {
            limits,
            splitter: Splitter::new(&limits),
            builder: Builder::new(file, &limits),
            left: limits.file,
        }
    }

    /// Returns true if a file with this name is a catalog file, compressed or not.
    pub fn reads(file: &str) -> bool {
        let ending = Self::packing(file).ending();
        let file = file.strip_suffix(ending).unwrap_or(file);
        EXTENSIONS.iter().any(|extension| file.ends_with(extension))
    }

    /// Returns the compression of a file with this name.
    pub fn packing(file: &str) -> Packing {
        let mut compressed = COMPRESSED.into_iter();
        let packing = compressed.find(|packing| file.ends_with(packing.ending()));
        packing.unwrap_or(Packing::Plain)
    }

    /// Returns the suffixes of catalog files as text for a sentence.
    pub fn endings() -> String {
        let [others @ .., last] = EXTENSIONS;
        let compressed = COMPRESSED.map(Packing::ending).join(" or ");
        let others = others.join(", ");
        format!("{others} or {last}, optionally followed by {compressed}")
    }

    /// Adds the next bytes. Returns `Break` if the file exceeds the maximum size. Further bytes are
    /// then ignored.
    pub fn feed(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        let taken = usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let (limits, builder) = (&self.limits, &mut self.builder);
        self.splitter
            .feed(&bytes[..taken], |piece| take(piece, limits, builder));
        self.left -= taken as u64;
        if taken == bytes.len() {
            return ControlFlow::Continue(());
        }
        let defect = Defect::TooMuch {
            what: "a file of more bytes",
            limit: self.limits.file,
        };
        self.builder.fault(1, defect);
        ControlFlow::Break(())
    }

    /// Adds a fault. For callers that create a catalog from other data than files.
    pub fn complain(&mut self, package: &str, subject: &str, defect: Defect) {
        let note = Note {
            line: self.splitter.line(),
            subject: crate::node::excerpt(subject).into_owned(),
            defect,
        };
        self.builder.fault_of(Some(package), note);
    }

    /// Ends the file, and returns its documents and faults.
    pub fn finish(mut self) -> Reading {
        let (limits, builder) = (&self.limits, &mut self.builder);
        self.splitter.finish(|piece| take(piece, limits, builder));
        self.builder.finish()
    }

    /// Ends the file because of an error. Keeps the documents before the error, and adds `why` as a
    /// fault.
    pub fn break_off(mut self, why: &str) -> Reading {
        self.builder.fault(1, Defect::Unreadable(why.to_owned()));
        self.finish()
    }
}

fn take(piece: Piece<'_>, limits: &Limits, builder: &mut Builder) {
    let Piece {
        format,
        line,
        offset,
        bytes,
    } = piece;
    let Some(bytes) = bytes else {
        return builder.fault(line, Cause::Bytes(limits.document).into());
    };
    let place = CatalogPlace {
        file: Arc::clone(&builder.reading.file),
        line,
        offset,
        length: bytes.len() as u64,
    };
    let read = match format {
        Format::Json => take_json(bytes, &place, limits, builder),
        Format::Yaml => take_yaml(bytes, &place, limits, builder),
    };
    if let Err(Broken { line, cause }) = read {
        builder.fault(line, cause.into());
    }
}

fn take_json(
    bytes: &[u8],
    place: &CatalogPlace,
    limits: &Limits,
    builder: &mut Builder,
) -> Result<(), Broken> {
    let node = node::json::parse(bytes, place.line, Selection::Document, limits)?;
    if settle(&node, place, false, builder) {
        let node = node::json::parse(bytes, place.line, Selection::All, limits)?;
        settle(&node, place, true, builder);
    }
    Ok(())
}

/// Parses only the needed lines of a document. Parses all its lines if this does not give a
/// complete document.
fn take_yaml(
    bytes: &[u8],
    place: &CatalogPlace,
    limits: &Limits,
    builder: &mut Builder,
) -> Result<(), Broken> {
    let text = node::yaml::text(bytes, place.line)?;
    if let Some(cut) = node::yaml::cut(text)
        && let Ok(Some(node)) = node::yaml::parse(&cut, place.line, Keys::AsWritten, limits)
        && !settle(&node, place, false, builder)
    {
        return Ok(());
    }
    if let Some(node) = node::yaml::parse(text, place.line, Keys::AsWritten, limits)? {
        settle(&node, place, true, builder);
    }
    Ok(())
}

/// Adds the document in a tree to the builder. Returns true if the caller must read the whole
/// document again.
fn settle(node: &Node<'_>, place: &CatalogPlace, is_whole: bool, builder: &mut Builder) -> bool {
    let mut context = ReadContext::new(&mut builder.interner, is_whole, &builder.limits);
    let read = document::read(node, place, &mut context);
    let ReadContext {
        mut notes,
        package,
        subject,
        unlisted,
        interner: _,
        is_whole: _,
        most_entries: _,
    } = context;
    match read {
        Ok(Outcome::Again) => return true,
        Ok(Outcome::Foreign(schema)) => builder.foreign(&schema),
        Ok(Outcome::Read(package, content)) => builder.reading.documents.push(Document {
            place: place.clone(),
            package,
            content,
        }),
        Err(error) => notes.push(error.about(&subject)),
    }
    for note in notes {
        builder.fault_of(package.as_deref(), note);
    }
    builder.leave_out(place.line, unlisted);
    false
}

/// Limits on memory and time. All real documents and files are much smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a document in bytes. The reader has only one document in memory, so this
    /// limits its memory. Real bundles that contain all their manifests have up to 4 MiB.
    pub document: usize,
    /// The maximum size of an uncompressed file in bytes.
    pub file: u64,
    /// The maximum number of values in a document. Values that aliases repeat count each time. Real
    /// documents have up to 30,000 values.
    pub values: usize,
    /// The maximum nesting depth of the values in a document.
    pub depth: usize,
    /// The maximum number of entries in a channel. Real channels have up to 200 entries. The time
    /// of a query about a channel increases with the square of this number.
    pub entries: usize,
    /// The maximum number of faults that are listed for a file. Further faults are only counted.
    pub faults: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document: 32 << 20,
            file: 4 << 30,
            values: 1_000_000,
            depth: 100,
            entries: 10_000,
            faults: 1000,
        }
    }
}
