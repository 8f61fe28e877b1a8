//! Requests: each reads its subject from the Snapshot.

mod catalog;
mod operator;
mod page;

use portolan_core_names::nearest;
use portolan_scaffold::NotYet;
use thiserror::Error;

pub(crate) use self::catalog::{GetCatalog, ListCatalogs};
pub(crate) use self::operator::{GetOperator, Handle, ListOperators};
pub(crate) use self::page::{Page, PageRequest, Token};

/// The maximum number of candidates that a refusal names.
const NAMED: usize = 10;

/// Everything, and its changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Watch {
    /// None for all.
    pub(crate) namespace: Option<String>,
}

/// A question that has no answer in this Snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum RequestError {
    /// A field does not hold what it should.
    #[error("{field}: {message}")]
    Field {
        /// The field of the request, such as `package`.
        field: &'static str,
        /// The fault of its value, and what would be valid.
        message: String,
    },
    /// Objects have not been listed yet.
    #[error(transparent)]
    NotYet(#[from] NotYet),
    /// The objects are unknown. Contains the reason.
    #[error("{0}")]
    Unseen(String),
    /// There is no such operator; the sentence says where it was looked for.
    #[error("{message}")]
    UnknownOperator { name: String, message: String },
    /// There is no such catalog.
    #[error("{message}")]
    UnknownCatalog { name: String, message: String },
}

/// Returns the end of a sentence that says in which namespace something was looked for.
fn within(namespace: Option<&str>) -> String {
    namespace
        .map(|namespace| format!(" in namespace {namespace}"))
        .unwrap_or_default()
}

/// Returns the end of a sentence about a missing name: the most similar name.
fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.collect();
    nearest(name, known.iter())
        .map(|near| format!("; did you mean {near}?"))
        .unwrap_or_default()
}
