//! The namespace and name that identify an object within its kind.

use std::fmt;
use std::sync::Arc;

use kube::core::ObjectMeta;

/// The namespace and name. The namespace is empty for cluster-scoped kinds, and for manifests
/// without a namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The namespace, or nothing.
    pub namespace: Arc<str>,
    /// The name.
    pub name: Arc<str>,
}

impl Key {
    /// Creates the key of the object with these names.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    pub(crate) fn of(metadata: &ObjectMeta) -> Self {
        let text = |text: &Option<String>| text.as_deref().unwrap_or_default().into();
        Self {
            namespace: text(&metadata.namespace),
            name: text(&metadata.name),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { namespace, name } = self;
        match &**namespace {
            "" => f.write_str(name),
            namespace => write!(f, "{namespace}/{name}"),
        }
    }
}
