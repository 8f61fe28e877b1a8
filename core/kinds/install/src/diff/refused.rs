//! Finds changes between two manifests that the API server rejects: changes of immutable fields,
//! and a new CRD without the stored version.

use serde_json::Value;

use super::values::FieldChange;
use crate::manifest::Member;
use crate::object::{items, text};

/// Returns the reasons why the API server rejects the change between two manifests, one sentence
/// for each reason.
pub(super) fn refused(old: &Member, new: &Member, changes: &[FieldChange]) -> Vec<String> {
    let is_fixed = |change: &&FieldChange| {
        // If a field is removed, the API server sets its default value. This may be the old value,
        // so the removal is not reported.
        let is_default = change.after.is_none() && change.path.matches(['.', '[']).count() <= 2;
        !is_default && is_fixed(old, &change.path)
    };
    let fixed = changes.iter().filter(is_fixed);
    let fixed = fixed.map(|change| {
        let path = &change.path;
        format!("{path} never changes")
    });
    fixed.chain(stored_version(&old.manifest, new)).collect()
}

/// Returns true if the field at this path can only be set when the object is created.
fn is_fixed(object: &Member, path: &str) -> bool {
    let is_in = |fields: &[&str]| fields.iter().any(|field| is_below(path, field));
    let kind = &object.identity.kind;
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("apps", "Deployment" | "DaemonSet" | "ReplicaSet") => is_in(&[".spec.selector"]),
        ("apps", "StatefulSet") => {
            is_in(&[".spec"])
                && !is_in(&[
                    ".spec.minReadySeconds",
                    ".spec.ordinals",
                    ".spec.persistentVolumeClaimRetentionPolicy",
                    ".spec.replicas",
                    ".spec.revisionHistoryLimit",
                    ".spec.template",
                    ".spec.updateStrategy",
                ])
        }
        ("batch", "Job") => is_in(&[".spec.template", ".spec.selector", ".spec.completionMode"]),
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => is_in(&[".roleRef"]),
        ("storage.k8s.io", "StorageClass") => is_in(&[
            ".parameters",
            ".provisioner",
            ".reclaimPolicy",
            ".volumeBindingMode",
        ]),
        ("scheduling.k8s.io", "PriorityClass") => is_in(&[".value", ".preemptionPolicy"]),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => is_in(&[".spec.scope"]),
        ("", "PersistentVolumeClaim") => {
            is_in(&[".spec"]) && !is_in(&[".spec.resources", ".spec.volumeAttributesClassName"])
        }
        ("", "Service") => is_in(&[".spec.clusterIP"]),
        ("", "ConfigMap" | "Secret") => {
            let is_immutable = object.manifest["immutable"] == true;
            let fields = is_in(&[".data", ".binaryData", ".immutable"]);
            is_immutable && fields || kind.kind == "Secret" && is_in(&[".type"])
        }
        _ => false,
    }
}

/// Returns true if the path is the path of the field, or of a part of the field.
fn is_below(path: &str, field: &str) -> bool {
    let rest = path.strip_prefix(field);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Returns a sentence if the old CRD stores objects in a version that the new CRD lacks. Returns
/// None otherwise.
fn stored_version(old: &Value, new: &Member) -> Option<String> {
    if !new.identity.kind.is_definition() {
        return None;
    }
    let mut versions = items(old, "/spec/versions").iter();
    let stored = versions.find(|version| version["storage"] == true)?;
    let stored = text(stored, "/name");
    let mut versions = items(&new.manifest, "/spec/versions").iter();
    let is_there = versions.any(|version| text(version, "/name") == stored);
    (!is_there).then(|| {
        format!(
            "objects may be stored in version {stored}, which the new manifest does not \
                 contain"
        )
    })
}
