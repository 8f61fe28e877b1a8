//! The key of an original.

use std::fmt;
use std::sync::Arc;

/// The namespace and name of an original. For a Namespace, the namespace is empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Its namespace.
    pub namespace: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
}

impl Key {
    /// Creates the key of an object.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
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
