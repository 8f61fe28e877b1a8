//! What the model passes over, read from the bytes of its document once more.
//!
//! A [`Place`] says where the bytes are; whoever can read the source brings them.
//! They are held against what was read of them before, so that nothing is told of a document that
//! has become another one since.
//!
//! ```
//! use portolan_core_catalog::{Catalog, Limits, Reading, raw};
//!
//! let file = br#"
//! {"schema": "olm.package", "name": "ferry", "description": "Carries things across."}
//! "#;
//! let ferry = &Catalog::of([Reading::of("ferry.json", file)]).packages["ferry"];
//! let (from, length) = (ferry.place.offset as usize, ferry.place.length as usize);
//!
//! let again = raw::Package::of(&file[from..from + length], ferry, &Limits::default())?;
//! assert_eq!(again.description.as_deref(), Some("Carries things across."));
//! # Ok::<(), raw::ReadRaw>(())
//! ```

mod base64;
mod bundle;
mod package;

use portolan_core_names::PackageName;
use thiserror::Error;

use crate::document::fields::Fields;
use crate::document::wanted::Wanted;
use crate::document::{self, Content, LineTrouble, Outcome, ReadContext, Words};
use crate::node::{self, Broken, Cause, Node};
use crate::{Fault, Limits, Place};

pub use self::bundle::Bundle;
pub use self::package::{Icon, Package};

/// Why nothing more can be told of a document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadRaw {
    /// It cannot be read whole. What was passed over the first time is no YAML or JSON either, or
    /// more than the limits allow.
    #[error("{0}")]
    Broken(Box<Fault>),
    /// The bytes say something else than they did.
    #[error("there is another document at {}:{} now", .0.file, .0.line)]
    Changed(Place),
}

/// The tree of a document, its package, and what the model makes of it.
fn read<'b>(
    bytes: &'b [u8],
    place: &Place,
    limits: &Limits,
) -> Result<(Node<'b>, PackageName, Content), ReadRaw> {
    let tree = tree(bytes, place.line, limits).map_err(|Broken { line, cause }| {
        let trouble = cause.into();
        ReadRaw::Broken(Box::new(fault(place, None, LineTrouble { line, trouble })))
    })?;
    // What there was to note was noted when the catalog was read.
    let mut words = Words::default();
    match document::read(
        &tree,
        place,
        &mut ReadContext::new(&mut words, true, limits),
    ) {
        Ok(Outcome::Read(package, content)) => Ok((tree, package, content)),
        Ok(Outcome::Foreign(_) | Outcome::Again) | Err(_) => Err(ReadRaw::Changed(place.clone())),
    }
}

/// Reads a document whole. Its first character tells how it is written, but for one thing: YAML
/// may begin with a bracket as well.
fn tree<'b>(bytes: &'b [u8], line: u64, limits: &Limits) -> Result<Node<'b>, Broken> {
    if bytes.len() > limits.document {
        let cause = Cause::Bytes(limits.document);
        return Err(Broken { line, cause });
    }
    if !bytes.starts_with(b"{") && !bytes.starts_with(b"[") {
        return yaml(bytes, line, limits);
    }
    node::json::parse(bytes, line, Wanted::All, limits).or_else(|broken| match broken.cause {
        Cause::Syntax(_) => yaml(bytes, line, limits).map_err(|_| broken),
        Cause::Bytes(_) | Cause::Values(_) | Cause::Depth(_) => Err(broken),
    })
}

fn yaml<'b>(bytes: &'b [u8], line: u64, limits: &Limits) -> Result<Node<'b>, Broken> {
    let nothing = || {
        let cause = Cause::Syntax("there is nothing".to_owned());
        Broken { line, cause }
    };
    node::yaml::parse(node::yaml::text(bytes, line)?, line, limits)?.ok_or_else(nothing)
}

/// The fields of an object; `what` is the object in words.
fn fields<'n, 'a>(what: &'static str, node: &'n Node<'a>) -> Result<Fields<'n, 'a>, LineTrouble> {
    let mut words = Words::default();
    Fields::of(
        what,
        node,
        &[],
        &mut ReadContext::new(&mut words, true, &Limits::default()),
    )
}

fn fault(place: &Place, package: Option<&PackageName>, error: LineTrouble) -> Fault {
    let LineTrouble { line, trouble } = error;
    Fault {
        file: place.file.clone(),
        line,
        package: package.map(ToString::to_string),
        subject: String::new(),
        trouble,
    }
}
