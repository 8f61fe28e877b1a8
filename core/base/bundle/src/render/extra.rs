//! Renders the objects that a bundle contains as manifests.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::{Manifest, Plan};
use crate::bundle::Bundle;
use crate::object::{Object, Scope, supported_kind};

pub(super) fn objects(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    for other in &plan.bundle.others {
        let mut object = other.json.clone();
        let scope = if plan.mends() {
            without_server_fields(&mut object);
            scope(plan, other)
        } else {
            scope_of_olm_v1(other)
        };
        let metadata = &mut object["metadata"];
        match scope {
            Scope::Namespaced => metadata["namespace"] = plan.namespace().into(),
            Scope::Cluster if plan.mends() => {
                metadata
                    .as_object_mut()
                    .map(|metadata| metadata.remove("namespace"));
            }
            Scope::Cluster => {}
        }
        manifests.push(Manifest {
            object,
            origin: Arc::clone(&other.file),
            notes: Vec::new(),
        });
    }
}

/// Returns the scope of an object. If a CRD of the bundle defines the kind, the CRD determines the
/// scope.
fn scope(plan: &Plan<'_>, other: &Object) -> Scope {
    let (group, kind) = (other.group(), other.kind());
    match plan.scopes.get(&(group, kind)) {
        Some(scope) => *scope,
        None => supported_kind(kind).map_or(Scope::Cluster, |known| known.scope),
    }
}

/// Returns the scope of each kind that a CRD of the bundle defines, by group and kind.
pub(super) fn scopes(bundle: &Bundle) -> BTreeMap<(&str, &str), Scope> {
    let mut scopes = BTreeMap::new();
    for crd in &bundle.crds {
        let scope = if crd.is_namespaced() {
            Scope::Namespaced
        } else {
            Scope::Cluster
        };
        scopes.entry(crd.defines()).or_insert(scope);
    }
    scopes
}

/// Returns the scope that OLM v1 assumes. OLM v1 compares only the kind, so it may confuse two
/// kinds of different groups.
fn scope_of_olm_v1(other: &Object) -> Scope {
    match other.kind() {
        "VerticalPodAutoscaler" => Scope::Cluster,
        kind => supported_kind(kind).map_or(Scope::Cluster, |known| known.scope),
    }
}

/// Removes the fields that only API servers set.
pub(super) fn without_server_fields(object: &mut Json) {
    const OF_METADATA: [&str; 8] = [
        "creationTimestamp",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
        "uid",
    ];
    if let Some(object) = object.as_object_mut() {
        object.remove("status");
        if let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) {
            metadata.retain(|key, _| !OF_METADATA.contains(&key.as_str()));
        }
    }
}
