//! A tree becomes one of the documents of a catalog, as far as it is one.

mod bundle;
mod channel;
mod deprecations;
mod display;
mod image;
mod package;
mod words;

pub(crate) mod fields;
pub(crate) mod wanted;

use std::sync::Arc;

use portolan_core_names::PackageName;

use crate::Limits;
use crate::fault::{Schema, Trouble};
use crate::model::{Bundle, Channel};
use crate::node::Node;
use crate::place::Place;

use self::fields::Fields;

pub(crate) use self::deprecations::Deprecation;
pub(crate) use self::package::Head;
pub(crate) use self::words::Words;

/// What one document says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) place: Place,
    pub(crate) package: PackageName,
    pub(crate) content: Content,
}

/// Channels and bundles are shared with every catalog that is made of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Package(Head),
    Channel(Arc<Channel>),
    Bundle(Arc<Bundle>),
    Deprecations(Vec<Deprecation>),
}

/// A trouble and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineTrouble {
    pub(crate) line: u64,
    pub(crate) trouble: Trouble,
}

/// A trouble, its line, and what of the package it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) line: u64,
    pub(crate) subject: String,
    pub(crate) trouble: Trouble,
}

/// What is needed to read documents, and what comes of it beside them.
#[derive(Debug)]
pub(crate) struct ReadContext<'w> {
    pub(crate) words: &'w mut Words,
    pub(crate) notes: Vec<Note>,
    /// The notes beyond [`MOST_NOTES`], of which only the number is kept.
    pub(crate) unlisted: u64,
    /// The package of the document, once it is known.
    pub(crate) package: Option<String>,
    /// What of the package is being read.
    pub(crate) subject: String,
    /// Whether nothing of the document was passed over.
    pub(crate) is_whole: bool,
    /// The most entries of a channel.
    pub(crate) most_entries: usize,
}

/// What became of a tree.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    Read(PackageName, Content),
    /// Of a schema that is other programs' business.
    Foreign(String),
    /// To be read once more, with nothing passed over: what it means stands in a value that
    /// otherwise never matters.
    Again,
}

/// As many notes about one document as anybody reads.
const MOST_NOTES: usize = 1000;

const ROOT: [&str; 3] = ["schema", "package", "name"];

/// Whether documents of the schema are read.
pub(crate) fn is_known(schema: &str) -> bool {
    Schema::of(schema).is_some()
}

/// Reads a document. An error costs the document; what costs less is noted in the context.
pub(crate) fn read(
    node: &Node<'_>,
    place: &Place,
    context: &mut ReadContext<'_>,
) -> Result<Outcome, LineTrouble> {
    let root = Fields::of("a document", node, &ROOT, context)?;
    let owner = match root.text("schema") {
        Ok(Some("olm.package")) => root.text("name"),
        _ => root.text("package"),
    };
    context.package = owner.ok().flatten().map(str::to_owned);
    let schema = root.required_text("schema")?;
    let Some(schema) = Schema::of(schema) else {
        return Ok(Outcome::Foreign(schema.to_owned()));
    };
    if let (false, Ok(Some(name))) = (schema == Schema::Package, root.text("name")) {
        context.subject = format!("{schema} {}", crate::node::excerpt(name));
    }
    let (package, content) = match schema {
        Schema::Package => package::read(node, context)?,
        Schema::Channel => channel::read(node, place, context)?,
        Schema::Bundle => match bundle::read(node, place, context)? {
            Some(read) => read,
            None => return Ok(Outcome::Again),
        },
        Schema::Deprecations => deprecations::read(node, context)?,
    };
    Ok(Outcome::Read(package, content))
}

// === impl LineTrouble ===

impl LineTrouble {
    pub(crate) fn about(self, subject: &str) -> Note {
        let Self { line, trouble } = self;
        Note {
            line,
            subject: subject.to_owned(),
            trouble,
        }
    }
}

// === impl ReadContext ===

impl<'w> ReadContext<'w> {
    pub(crate) fn new(words: &'w mut Words, is_whole: bool, limits: &Limits) -> Self {
        Self {
            words,
            notes: Vec::new(),
            unlisted: 0,
            package: None,
            subject: String::new(),
            is_whole,
            most_entries: limits.entries,
        }
    }

    fn note(&mut self, error: LineTrouble) {
        match self.notes.len() < MOST_NOTES {
            true => self.notes.push(error.about(&self.subject)),
            false => self.unlisted += 1,
        }
    }

    /// What could be read; an error about the rest is left here.
    fn settle<T>(&mut self, read: Result<Option<T>, LineTrouble>) -> Option<T> {
        read.unwrap_or_else(|error| {
            self.note(error);
            None
        })
    }
}
