//! The objects of an operator that OLM v0 holds: which objects these are, how they are written in a
//! plan of ours, and how OLM is made to let go of them.

mod operator;
mod released;
mod taken;

use std::collections::BTreeSet;

use portolan_api::operator::Account;
use portolan_core_names::text::write_object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use operator::adopting;
pub use released::disowned;
pub(crate) use released::{disown, hand_over_certificate, without_conversions};
pub(crate) use taken::{Taken, take};

/// The objects that a plan takes over from OLM.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Adopts {
    pub csv: CsvId,
    /// The Subscription as it was, with its name, labels, annotations and spec, as JSON; None if there
    /// was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<String>,
    /// All that OLM has to let go of.
    pub objects: BTreeSet<ObjectId>,
    /// Of all of it as it was: where OLM has changed something since, it is taken over as it is then.
    pub digest: String,
}

/// A ClusterServiceVersion.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CsvId {
    pub namespace: String,
    pub name: String,
    pub uid: String,
}

/// An object.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectId {
    pub api_version: String,
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    pub name: String,
}

/// The objects that are to be looked at. Those that are not there are left out of the answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LiveQuery {
    /// The ServiceAccount that is used for it.
    pub account: Account,
    pub objects: BTreeSet<ObjectId>,
    /// And all that OLM has made for this one.
    pub owner: Option<CsvId>,
}

impl Adopts {
    /// The Subscription as it was.
    pub(crate) fn subscription(&self) -> Option<Value> {
        serde_json::from_str(self.subscription.as_deref()?).ok()
    }
}

impl CsvId {
    pub fn object(&self) -> ObjectId {
        ObjectId::new(
            "operators.coreos.com/v1alpha1",
            "ClusterServiceVersion",
            Some(&self.namespace),
            &self.name,
        )
    }
}

impl ObjectId {
    pub fn new(api_version: &str, kind: &str, namespace: Option<&str>, name: &str) -> Self {
        Self {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    pub fn of(object: &Value) -> Self {
        let text = |pointer| object.pointer(pointer).and_then(Value::as_str);
        Self::new(
            text("/apiVersion").unwrap_or_default(),
            text("/kind").unwrap_or_default(),
            text("/metadata/namespace"),
            text("/metadata/name").unwrap_or_default(),
        )
    }
}

impl std::fmt::Display for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            kind,
            namespace,
            name,
            ..
        } = self;
        write_object(f, kind, namespace.as_deref().unwrap_or_default(), name)
    }
}

/// Whether OLM has made an object with this metadata for a ClusterServiceVersion, or for one of its copies.
pub fn is_of(csv: &CsvId, metadata: &Value) -> bool {
    let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
    let mut owners = owners.filter(|owner| owner["kind"] == "ClusterServiceVersion");
    let label = |key: &str| metadata["labels"][key].as_str();
    let is_labeled = label("olm.owner") == Some(&csv.name)
        && label("olm.owner.kind") == Some("ClusterServiceVersion")
        && [label("olm.owner.namespace"), label("olm.copiedFrom")].contains(&Some(&csv.namespace));
    is_labeled || owners.any(|owner| owner["uid"] == csv.uid)
}
