//! ClusterExtensions of OLM v1 during an adoption: their objects, and the patches that make OLM v1
//! leave these objects unchanged.
//!
//! OLM v1 has no pause. But OLM v1 writes no object while no bundle has the requested version. It
//! reports the missing version for a generation of the ClusterExtension. It reconciles a
//! ClusterExtension in one worker only, so after this report no reconcile of an older generation
//! runs.

use portolan_api::operator::ADOPTED;
use portolan_core_names::{Gvk, ObjectRef};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::OlmOwner;

/// The `spec.source.catalog.version` during an adoption. No bundle has this version.
pub const HELD_VERSION: &str = "0.0.0-held-by-portolan";
/// The namespaces of OLM v1, in which it stores its Helm releases: upstream and on OpenShift.
const RELEASE_NAMESPACES: [&str; 2] = ["olmv1-system", "openshift-operator-controller"];
/// The label value of all Secrets with Helm releases of OLM v1.
const RELEASE_OWNER: &str = "operator-controller";
const VERSION: &str = "/spec/source/catalog/version";
const FINALIZERS: &str = "/metadata/finalizers";

/// A ClusterExtension.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExtensionId {
    pub name: String,
    pub uid: String,
    /// The namespace of the operator.
    pub namespace: String,
}

/// The ClusterExtension that a plan adopts.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AdoptedExtension {
    #[serde(flatten)]
    pub id: ExtensionId,
    /// The original spec of the ClusterExtension as JSON.
    pub spec: String,
}

// === impl ExtensionId ===

impl ExtensionId {
    pub fn object(&self) -> ObjectRef<Gvk> {
        let kind = Gvk::new("olm.operatorframework.io/v1", "ClusterExtension");
        ObjectRef::new(kind, None, &self.name)
    }

    /// Returns the places of the Secrets with the Helm release.
    pub fn releases() -> impl Iterator<Item = ObjectRef<Gvk>> {
        let place = |namespace| ObjectRef::new(Gvk::new("v1", "Secret"), namespace, "");
        RELEASE_NAMESPACES.into_iter().map(place)
    }

    /// Returns true if an owner reference with the uid of the ClusterExtension exists. Then the
    /// garbage collector deletes the object together with the ClusterExtension.
    pub(super) fn owns(&self, metadata: &Value) -> bool {
        let mut owners = metadata["ownerReferences"].as_array().into_iter().flatten();
        owners.any(|owner| owner["uid"] == self.uid)
    }

    /// Returns true if an object with this metadata stores the Helm release of the
    /// ClusterExtension. Only OLM v1 may write in its namespaces.
    pub(super) fn has_release(&self, metadata: &Value) -> bool {
        let label = |key: &str| metadata["labels"][key].as_str();
        let namespace = metadata["namespace"].as_str();
        label("name") == Some(&self.name)
            && label("owner") == Some(RELEASE_OWNER)
            && label("type") == Some("index")
            && namespace.is_some_and(|it| RELEASE_NAMESPACES.contains(&it))
    }
}

// === impl AdoptedExtension ===

impl AdoptedExtension {
    /// Returns the original spec.
    pub(crate) fn spec(&self) -> Value {
        serde_json::from_str(&self.spec).unwrap_or_default()
    }
}

/// Returns true if an object stores a Helm release of an owner.
pub fn is_release(owner: &OlmOwner, object: &Value) -> bool {
    match owner {
        OlmOwner::Csv(_) => false,
        OlmOwner::Extension(extension) => {
            object["kind"] == "Secret" && extension.has_release(&object["metadata"])
        }
    }
}

/// Returns true if a ClusterExtension has Portolan's finalizer.
pub(crate) fn has_finalizer(extension: &Value) -> bool {
    finalizers(extension).iter().any(|it| it == ADOPTED)
}

/// Returns true if a ClusterExtension has Portolan's finalizer and requests the version that no
/// bundle has.
pub(crate) fn is_held(extension: &Value) -> bool {
    has_finalizer(extension) && version_of(extension) == Some(HELD_VERSION)
}

/// Returns true if OLM v1 reports, for the current spec, that it finds no bundle with the version
/// that no bundle has.
pub(crate) fn obeys_hold(extension: &Value) -> bool {
    let Some(progressing) = progressing(extension) else {
        return false;
    };
    let message = progressing["message"].as_str().unwrap_or_default();
    let observed = &progressing["observedGeneration"];
    is_held(extension)
        && observed.is_i64()
        && *observed == extension["metadata"]["generation"]
        && progressing["reason"] != "Succeeded"
        && message.contains(&format!("matching version \"{HELD_VERSION}\""))
}

/// Returns true if only the deletion has changed a held ClusterExtension since OLM v1
/// reported the held version. The deletion increments the generation once. Some versions of OLM v1
/// do not reconcile a ClusterExtension that is being deleted.
pub(crate) fn is_unchanged_since_deletion(extension: &Value) -> bool {
    let observed = progressing(extension).and_then(|it| it["observedGeneration"].as_i64());
    let generation = extension["metadata"]["generation"].as_i64();
    let changes = generation
        .zip(observed)
        .map(|(generation, observed)| generation - observed);
    is_held(extension) && changes.is_some_and(|changes| (0..=1).contains(&changes))
}

/// Returns the operations that make OLM v1 leave the objects of a ClusterExtension unchanged.
/// Returns no operations if the ClusterExtension is held.
pub(crate) fn wanted_hold(extension: &Value) -> Vec<Value> {
    let mut operations = Vec::new();
    if !has_finalizer(extension) {
        let all = finalizers(extension).iter().cloned();
        let all: Vec<_> = all.chain([json!(ADOPTED)]).collect();
        operations.push(json!({"op": "add", "path": FINALIZERS, "value": all}));
    }
    if version_of(extension) != Some(HELD_VERSION) {
        operations.push(json!({"op": "add", "path": VERSION, "value": HELD_VERSION}));
    }
    operations
}

/// Returns the operations that give a ClusterExtension back to OLM v1, with the version of its
/// original spec. Keeps a version that another client has set since then.
pub(crate) fn restored(extension: &Value, original: &Value) -> Vec<Value> {
    let mut operations = Vec::new();
    if version_of(extension) == Some(HELD_VERSION) {
        let version = original["source"]["catalog"].get("version");
        operations.push(match version {
            Some(version) => json!({"op": "replace", "path": VERSION, "value": version}),
            None => json!({"op": "remove", "path": VERSION}),
        });
    }
    if has_finalizer(extension) {
        let kept = finalizers(extension).iter().filter(|it| **it != ADOPTED);
        let kept: Vec<_> = kept.collect();
        operations.push(json!({"op": "add", "path": FINALIZERS, "value": kept}));
    }
    operations
}

/// Returns the requested version. Returns None if the ClusterExtension requests no version.
pub(crate) fn version_of(extension: &Value) -> Option<&str> {
    extension.pointer(VERSION)?.as_str()
}

fn progressing(extension: &Value) -> Option<&Value> {
    let conditions = extension["status"]["conditions"].as_array()?;
    conditions.iter().find(|it| it["type"] == "Progressing")
}

fn finalizers(extension: &Value) -> &[Value] {
    let finalizers = extension["metadata"]["finalizers"].as_array();
    finalizers.map(Vec::as_slice).unwrap_or_default()
}
