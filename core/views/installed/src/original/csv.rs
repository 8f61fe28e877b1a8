//! Reads ClusterServiceVersions.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_olm::COPIED_FROM;
use serde_json::{Map, Value};

use super::{Body, Unreadable, key, labels, parse, shared, text};
use crate::Key;
use crate::sanitized::{annotation, sanitize_csv};

/// The annotation in which OLM stores the namespace in which an operator is installed.
const HOME: &str = "olm.operatorNamespace";
/// The reason in the status of a copied ClusterServiceVersion.
const COPIED: &str = "Copied";
/// The reasons with which OLM rejects an operator, because of its OperatorGroup or its install
/// modes. OLM (v0.46) does not copy the ClusterServiceVersion of a rejected operator.
const REJECTIONS: [&str; 7] = [
    "CannotModifyStaticOperatorGroupProvidedAPIs",
    "InterOperatorGroupOwnerConflict",
    "InvalidInstallModes",
    "NoOperatorGroup",
    "NoTargetNamespaces",
    "TooManyOperatorGroups",
    "UnsupportedOperatorGroup",
];

/// The ClusterServiceVersion of an operator, or a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Csv {
    /// The name, and the namespace in which the operator is installed.
    pub key: Key,
    /// The uid. Empty if it is missing, as for an object in a file.
    pub uid: Arc<str>,
    /// The creation timestamp as text. Empty if it is missing.
    pub created: Arc<str>,
    /// The labels.
    pub labels: BTreeMap<String, String>,
    /// The version of the operator.
    pub version: Arc<str>,
    /// The name of the ClusterServiceVersion that this one replaces. Empty if it replaces none.
    pub replaces: Arc<str>,
    /// The phase. Empty if OLM has not processed the ClusterServiceVersion yet.
    pub phase: Arc<str>,
    /// The reason for the phase, for users.
    pub message: Arc<str>,
    /// True if OLM has rejected the operator, or has not processed it yet. Such an operator watches
    /// no namespace, even if its annotations name namespaces.
    pub is_rejected: bool,
    /// True if the object is a copy in a namespace that the operator watches.
    pub is_copy: bool,
    /// The JSON that Installed objects contain.
    pub body: Body,
}

// === impl Csv ===

impl Csv {
    /// Parses a ClusterServiceVersion from JSON text.
    ///
    /// # Errors
    /// Returns an error if the text is not an object or has no name.
    pub fn read(json: &str) -> Result<Self, Unreadable> {
        Self::of(parse(json)?)
    }

    /// Reads a ClusterServiceVersion from a JSON object.
    ///
    /// # Errors
    /// Returns an error if the object has no name.
    pub fn of(mut object: Map<String, Value>) -> Result<Self, Unreadable> {
        let key = key(&object)?;
        let labels = labels(&object);
        let phase = shared(&object, "status", "phase");
        let reason = text(&object, "status", "reason");
        let is_copy = labels.contains_key(COPIED_FROM.name())
            || reason == Some(COPIED)
            || annotation(&object, HOME).is_some_and(|home| *home != *key.namespace);
        Ok(Self {
            is_rejected: phase.is_empty() || reason.is_some_and(|it| REJECTIONS.contains(&it)),
            uid: shared(&object, "metadata", "uid"),
            created: shared(&object, "metadata", "creationTimestamp"),
            version: shared(&object, "spec", "version"),
            replaces: shared(&object, "spec", "replaces"),
            phase,
            message: shared(&object, "status", "message"),
            body: {
                sanitize_csv(&mut object);
                Body::of(object)
            },
            key,
            labels,
            is_copy,
        })
    }
}
