//! Adoption of operators that OLM v0 manages: which objects belong to such an operator, how a plan
//! describes these objects, and how OLM releases them.

mod released;
mod taken;

use std::collections::BTreeSet;

use portolan_api::operator::Account;
use portolan_core_names::{Gvk, ObjectRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use released::disowned;
pub(crate) use released::{disown, hand_over_certificate, without_conversions};
pub(crate) use taken::{Taken, take};

/// The objects that a plan adopts from OLM.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Adopts {
    pub csv: CsvId,
    /// The original Subscription as JSON, with its name, labels, annotations and spec. None if
    /// there was no Subscription.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<String>,
    /// The objects that OLM must release.
    pub objects: BTreeSet<ObjectRef<Gvk>>,
    /// The digest of the plan's manifests, which describe the live objects. If OLM changes an
    /// object before the plan is released, the digest differs, and Portolan creates the plan again.
    pub digest: String,
}

/// The identity of a ClusterServiceVersion.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CsvId {
    pub namespace: String,
    pub name: String,
    pub uid: String,
}

/// A query for objects in the cluster. The answer omits objects that do not exist.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LiveQuery {
    /// The ServiceAccount that reads the objects.
    pub account: Account,
    pub objects: BTreeSet<ObjectRef<Gvk>>,
    /// If set, the answer also contains all objects that OLM has created for this
    /// ClusterServiceVersion.
    pub owner: Option<CsvId>,
}

impl Adopts {
    /// Returns the original Subscription.
    pub(crate) fn subscription(&self) -> Option<Value> {
        serde_json::from_str(self.subscription.as_deref()?).ok()
    }
}

impl CsvId {
    pub fn object(&self) -> ObjectRef<Gvk> {
        let kind = Gvk::new("operators.coreos.com/v1alpha1", "ClusterServiceVersion");
        ObjectRef::new(kind, &*self.namespace, &self.name)
    }
}

/// Returns true if the metadata belongs to an object that OLM created for a ClusterServiceVersion
/// or for a copy of it.
pub fn is_of(csv: &CsvId, metadata: &Value) -> bool {
    let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
    let mut owners = owners.filter(|owner| owner["kind"] == "ClusterServiceVersion");
    let label = |key: &str| metadata["labels"][key].as_str();
    let is_labeled = label("olm.owner") == Some(&csv.name)
        && label("olm.owner.kind") == Some("ClusterServiceVersion")
        && [label("olm.owner.namespace"), label("olm.copiedFrom")].contains(&Some(&csv.namespace));
    is_labeled || owners.any(|owner| owner["uid"] == csv.uid)
}
