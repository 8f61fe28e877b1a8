//! The objects in causes and evidence.

use std::borrow::Cow;
use std::fmt;

use portolan_core_health as health;
use portolan_core_names::text::write_object;

/// The kind, namespace and name of an object that users can inspect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// The kind, in the spelling of its API.
    pub kind: Cow<'static, str>,
    /// The namespace. Empty if the object is cluster-scoped.
    pub namespace: String,
    /// The name. Empty if the object stands for a whole kind.
    pub name: String,
}

// === impl Object ===

impl Object {
    /// Returns an object with this kind, namespace and name.
    pub fn new(
        kind: impl Into<Cow<'static, str>>,
        namespace: impl Into<String>,
        name: impl Into<String>,
    ) -> Self {
        Self {
            kind: kind.into(),
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

impl From<&health::Object> for Object {
    fn from(object: &health::Object) -> Self {
        let health::Object {
            kind,
            namespace,
            name,
        } = object;
        Self::new(kind.as_str(), namespace, name)
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            namespace,
            name,
        } = self;
        match (namespace.as_str(), name.as_str()) {
            ("", "") => write!(f, "{kind}"),
            (namespace, "") => write!(f, "{kind} of namespace {namespace}"),
            (namespace, name) => write_object(f, kind, namespace, name),
        }
    }
}
