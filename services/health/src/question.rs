//! The requests of the health service. Each request finds its objects in the Snapshot.

mod catalog;
mod operator;
mod page;

use portolan_core_names::nearest;
use portolan_scaffold::NotYet;
use thiserror::Error;

pub(crate) use self::catalog::{GetCatalog, ListCatalogs};
pub(crate) use self::operator::{GetOperator, Handle, ListOperators};
pub(crate) use self::page::{Page, PageRequest, Token};

/// The maximum number of matching operators that an error message names.
const NAMED: usize = 10;

/// A request for all operators and for their later changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Watch {
    /// The namespace. None for all namespaces.
    pub(crate) namespace: Option<String>,
}

/// A request that cannot be processed with this Snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum RequestError {
    /// A field has an invalid value.
    #[error("{field}: {message}")]
    Field {
        /// The field of the request, such as `package`.
        field: &'static str,
        /// A description of the invalid value and of the valid values.
        message: String,
    },
    /// Objects have not been listed yet.
    #[error(transparent)]
    NotYet(#[from] NotYet),
    /// The objects cannot be listed. Contains the reason.
    #[error("{0}")]
    Unseen(String),
    /// The operator does not exist. The message contains the namespaces that were searched.
    #[error("{message}")]
    UnknownOperator { name: String, message: String },
    /// The catalog does not exist. The message contains the namespaces that were searched.
    #[error("{message}")]
    UnknownCatalog { name: String, message: String },
}

/// Returns the end of a sentence with the namespace that was searched.
fn within(namespace: Option<&str>) -> String {
    namespace
        .map(|namespace| format!(" in namespace {namespace}"))
        .unwrap_or_default()
}

/// Returns the end of a sentence about a missing name. It suggests the most similar name. Empty if
/// no name is similar.
fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.collect();
    nearest(name, known.iter())
        .map(|near| format!("; did you mean {near}?"))
        .unwrap_or_default()
}
