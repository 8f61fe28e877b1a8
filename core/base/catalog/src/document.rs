//! Converts a tree into a document of a catalog.

mod bundle;
mod channel;
pub(crate) mod fields;
mod image;
mod package;
pub(crate) mod selection;

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_names::{BundleName, PackageName};

use self::fields::Fields;
use crate::Limits;
use crate::fault::{Defect, Schema};
use crate::model::CatalogPlace;
use crate::model::{Bundle, Channel};
use crate::node::Node;

pub(crate) use self::package::{Deprecation, Head};

/// The content of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) place: CatalogPlace,
    pub(crate) package: PackageName,
    pub(crate) content: Content,
}

/// The content of a document, by its schema. All catalogs that contain the same channel or bundle
/// share its content in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Package(Head),
    Channel(Arc<Channel>),
    Bundle(Arc<Bundle>),
    Deprecations(Vec<Deprecation>),
}

/// A defect and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineDefect {
    pub(crate) line: u64,
    pub(crate) defect: Defect,
}

/// A defect, with its line and the affected object in the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) line: u64,
    pub(crate) subject: String,
    pub(crate) defect: Defect,
}

/// The state while a document is read. Collects the defects.
#[derive(Debug)]
pub(crate) struct ReadContext<'w> {
    pub(crate) interner: &'w mut Interner,
    pub(crate) notes: Vec<Note>,
    /// The number of notes that were dropped because there are more than [`MOST_NOTES`].
    pub(crate) unlisted: u64,
    /// The package of the document. None until its name is read.
    pub(crate) package: Option<String>,
    /// The object in the package that is being read, such as a channel or an entry.
    pub(crate) subject: String,
    /// True if no field of the document was skipped.
    pub(crate) is_whole: bool,
    /// The maximum number of entries of a channel.
    pub(crate) most_entries: usize,
}

/// The result of reading a tree.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    Read(PackageName, Content),
    /// A document of another schema, which Portolan does not read. Contains the schema.
    Foreign(String),
    /// The document must be read again with all lines, because a skipped value is needed.
    Again,
}

/// The maximum number of notes for one document.
const MOST_NOTES: usize = 1000;

const ROOT: [&str; 3] = ["schema", "package", "name"];

/// Returns true if this crate reads documents with the schema.
pub(crate) fn is_known(schema: &str) -> bool {
    Schema::of(schema).is_some()
}

/// Reads a document. Returns an error if the document must be dropped. Adds smaller defects to the
/// context.
pub(crate) fn read(
    node: &Node<'_>,
    place: &CatalogPlace,
    context: &mut ReadContext<'_>,
) -> Result<Outcome, LineDefect> {
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
        Schema::Deprecations => package::read_deprecations(node, context)?,
    };
    Ok(Outcome::Read(package, content))
}

// === impl LineDefect ===

impl LineDefect {
    pub(crate) fn about(self, subject: &str) -> Note {
        let Self { line, defect } = self;
        Note {
            line,
            subject: subject.to_owned(),
            defect,
        }
    }
}

// === impl ReadContext ===

impl<'w> ReadContext<'w> {
    pub(crate) fn new(interner: &'w mut Interner, is_whole: bool, limits: &Limits) -> Self {
        Self {
            interner,
            notes: Vec::new(),
            unlisted: 0,
            package: None,
            subject: String::new(),
            is_whole,
            most_entries: limits.entries,
        }
    }

    fn note(&mut self, error: LineDefect) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(error.about(&self.subject))
        } else {
            self.unlisted += 1
        }
    }

    /// Returns the value. If it could not be read, adds the error to the notes and returns None.
    fn settle<T>(&mut self, read: Result<Option<T>, LineDefect>) -> Option<T> {
        read.unwrap_or_else(|error| {
            self.note(error);
            None
        })
    }
}

/// Strings that occur repeatedly in a file. Each string is stored only once. The bundles of a
/// package have most strings in common: each version has the same APIs, and each bundle name occurs
/// in channels and edges.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    texts: BTreeSet<Arc<str>>,
    bundles: BTreeSet<BundleName>,
}

// === impl Interner ===

impl Interner {
    pub(crate) fn text(&mut self, text: &str) -> Arc<str> {
        let made: Result<_, std::convert::Infallible> =
            once(&mut self.texts, text, |text| Ok(text.into()));
        let Ok(text) = made;
        text
    }

    /// Returns a bundle name. Parses it only at its first occurrence in the file.
    pub(crate) fn bundle(&mut self, text: &str) -> Result<BundleName, String> {
        once(&mut self.bundles, text, |text| {
            BundleName::parse(text).map_err(|refusal| refusal.to_string())
        })
    }
}

fn once<T, E>(
    known: &mut BTreeSet<T>,
    text: &str,
    make: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, E>
where
    T: Borrow<str> + Ord + Clone,
{
    if let Some(known) = known.get(text) {
        return Ok(known.clone());
    }
    let made = make(text)?;
    known.insert(made.clone());
    Ok(made)
}
