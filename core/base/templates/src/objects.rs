//! The objects of a cluster that templates can look up. The caller provides them.

use serde_json::Value as Json;

/// A lookup of a template: one object by its name, or all objects of a kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lookup {
    pub api_version: String,
    pub kind: String,
    /// The namespace. Empty for cluster-scoped objects, and for objects in all namespaces.
    pub namespace: String,
    /// The name. Empty for all objects. Label selectors are applied later.
    pub name: String,
}

/// The result of a Lookup.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Object(Json),
    /// The objects of a Lookup without a name, sorted by namespace and name.
    Objects(Vec<Json>),
    Absent,
    /// The cluster does not have this kind.
    NoSuchKind,
    /// Portolan has no permission to read the object. Contains the reason and the remedy.
    NotAllowed(String),
    /// The object has not been read yet. The evaluation ends. The caller must read the object and
    /// evaluate the template again.
    Unread,
}

/// Returns the results of lookups. The same Lookup must have the same result during a whole
/// evaluation.
pub trait Objects {
    fn answer(&self, lookup: &Lookup) -> Answer;
}
