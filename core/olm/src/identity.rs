//! Which object it is, and in which state.

use kube_core::ObjectMeta;

/// What tells an object and its state from all others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its namespace, if it is in one.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// Its uid; None for one that no cluster has, such as one in a file.
    pub uid: Option<String>,
    /// Its resource version; None for one that no cluster has.
    pub resource_version: Option<String>,
}

impl From<&ObjectMeta> for Identity {
    fn from(metadata: &ObjectMeta) -> Self {
        Self {
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone().unwrap_or_default(),
            uid: metadata.uid.clone(),
            resource_version: metadata.resource_version.clone(),
        }
    }
}
