//! Changes that an API server refuses, as far as manifests tell: of fields that never change, and of
//! definitions that lack a version in which objects are stored.

use serde_json::Value;

use super::values::FieldChange;
use crate::manifest::Member;
use crate::object::{items, text};

/// The reasons why an API server refuses to change one manifest into the other, a sentence each.
pub(super) fn refused(old: &Member, new: &Member, changes: &[FieldChange]) -> Vec<String> {
    let is_fixed = |change: &&FieldChange| {
        // Without a field of its own the object has the default, which may well be what it had.
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

/// Whether a field of an object can only be set when it is made.
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

/// Whether a path is that of a field, or of something in it.
fn is_below(path: &str, field: &str) -> bool {
    let rest = path.strip_prefix(field);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The sentence that a definition lacks the version in which the one before it has objects stored;
/// None if it has that version.
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
        format!("objects may be stored in the version {stored}, which the other manifest lacks")
    })
}
