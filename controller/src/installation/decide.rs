//! Determines the owner of an object, and the change that an apply has made.

use std::collections::BTreeSet;
use std::fmt;

use kube::api::{DynamicObject, ObjectMeta};
use kube::core::Status;

use super::{INSTALLER, MANAGED_BY};
use crate::server_side_apply::{ApplyChange, INSTALL_MANAGER};

/// The annotation in which Helm stores the name of the release.
const RELEASE: &str = "meta.helm.sh/release-name";
const HELM: &str = "Helm";

/// The installer that owns an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// `portolan install` created the object.
    Portolan,
    /// The object has no label of an installer.
    Unknown,
    /// A release of Helm.
    Helm(String),
    /// Another installer. Contains the value of the label.
    Other(String),
}

// === impl Owner ===

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Portolan => f.write_str("`portolan install`"),
            Self::Unknown => f.write_str("an unknown installer"),
            Self::Helm(release) => write!(f, "the Helm release {release}"),
            Self::Other(name) => write!(f, "{name} (label {MANAGED_BY})"),
        }
    }
}

/// Returns the owner of an object, from its label.
pub(super) fn owner(metadata: &ObjectMeta) -> Owner {
    let labels = metadata.labels.as_ref();
    let annotations = metadata.annotations.as_ref();
    match labels
        .and_then(|labels| labels.get(MANAGED_BY))
        .map(String::as_str)
    {
        None => Owner::Unknown,
        Some(INSTALLER) => Owner::Portolan,
        Some(HELM) => {
            let release = annotations.and_then(|annotations| annotations.get(RELEASE));
            Owner::Helm(release.cloned().unwrap_or_default())
        }
        Some(other) => Owner::Other(other.to_owned()),
    }
}

/// Compares an object before and after an apply.
pub(super) fn change(live: Option<&DynamicObject>, applied: &DynamicObject) -> ApplyChange {
    let Some(live) = live else {
        return ApplyChange::Created;
    };
    let is_same = live.data == applied.data
        && live.metadata.labels == applied.metadata.labels
        && live.metadata.annotations == applied.metadata.annotations;
    if is_same {
        ApplyChange::Unchanged
    } else {
        ApplyChange::Configured
    }
}

/// Returns the names of the other field managers of an object.
pub(super) fn managers(metadata: &ObjectMeta) -> BTreeSet<String> {
    let entries = metadata.managed_fields.iter().flatten();
    let names = entries.filter_map(|entry| entry.manager.clone());
    names.filter(|name| name != INSTALL_MANAGER).collect()
}

/// Returns true if the error reports that the namespace of the object does not exist.
pub(super) fn is_missing_namespace(status: &Status) -> bool {
    let details = status.details.as_ref();
    status.code == 404 && details.is_some_and(|details| details.kind == "namespaces")
}
