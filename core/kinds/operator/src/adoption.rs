//! Adoption of operators that OLM manages: which objects belong to such an operator, how a plan
//! describes these objects, and how OLM releases them.

mod compared;
mod extension;
mod released;
mod taken;

use std::collections::BTreeSet;

use portolan_api::operator::Account;
use portolan_core_names::{Gvk, ObjectRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use compared::mismatches;
pub use extension::{AdoptedExtension, ExtensionId, HELD_VERSION, is_release};
pub(crate) use extension::{
    has_finalizer, is_held, is_unchanged_since_deletion, obeys_hold, restored, version_of,
    wanted_hold,
};
pub use released::disowned;
pub(crate) use released::{disown, hand_over_certificate, without_conversions};
pub use taken::has_certificate;
pub(crate) use taken::{Taken, take};

/// The objects that a plan adopts from OLM.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Adopts {
    /// The ClusterServiceVersion of OLM v0. Empty if the operator is adopted from OLM v1.
    pub csv: CsvId,
    /// The ClusterExtension of OLM v1. None if the operator is adopted from OLM v0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extension: Option<AdoptedExtension>,
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

/// The object through which OLM manages an operator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum OlmOwner {
    Csv(CsvId),
    Extension(ExtensionId),
}

/// A query for objects in the cluster. The answer omits objects that do not exist.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LiveQuery {
    /// The ServiceAccount that reads the objects.
    pub account: Account,
    pub objects: BTreeSet<ObjectRef<Gvk>>,
    /// If set, the query includes all objects that OLM has created for this owner.
    pub owner: Option<OlmOwner>,
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

/// Returns true if OLM created an object with this metadata for an owner, or for a copy of it.
/// Labels prove nothing about OLM v1, because OLM v1 deletes objects by their owner references.
pub fn is_of(owner: &OlmOwner, metadata: &Value) -> bool {
    match owner {
        OlmOwner::Csv(csv) => is_of_csv(csv, metadata),
        OlmOwner::Extension(extension) => {
            extension.owns(metadata) || extension.has_release(metadata)
        }
    }
}

fn is_of_csv(csv: &CsvId, metadata: &Value) -> bool {
    let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
    let mut owners = owners.filter(|owner| owner["kind"] == "ClusterServiceVersion");
    let label = |key: &str| metadata["labels"][key].as_str();
    let is_labeled = label("olm.owner") == Some(&csv.name)
        && label("olm.owner.kind") == Some("ClusterServiceVersion")
        && [label("olm.owner.namespace"), label("olm.copiedFrom")].contains(&Some(&csv.namespace));
    is_labeled || owners.any(|owner| owner["uid"] == csv.uid)
}
