//! The objects of a cluster that templates read, provided by the caller.

use serde_json::Value as Json;

/// A lookup by a template: an object by name, or without a name all objects of a kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lookup {
    pub api_version: String,
    pub kind: String,
    /// The namespace. Empty for cluster-scoped objects, and for objects of all namespaces.
    pub namespace: String,
    /// Empty for all objects. Label selectors of a template are applied afterwards.
    pub name: String,
}

/// The result of a Lookup, if it is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Object(Json),
    /// The objects of a Lookup without a name, in the order of namespaces and names.
    Objects(Vec<Json>),
    Absent,
    /// The cluster does not have this kind.
    NoSuchKind,
    /// The reader has no permission. Contains the reason, and the remedy.
    NotAllowed(String),
    /// The object has not been read yet. The evaluation ends, and starts again after the object was
    /// read.
    Unread,
}

/// A consistent source of lookup results: the same Lookup has the same result throughout an
/// evaluation.
pub trait Objects {
    fn answer(&self, lookup: &Lookup) -> Answer;
}
