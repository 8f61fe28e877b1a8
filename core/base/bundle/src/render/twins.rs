//! Merges duplicate objects. For example, the bundle may contain a ServiceAccount that is also
//! rendered from the ClusterServiceVersion.

use std::collections::BTreeMap;

use portolan_core_names::ObjectRef;
use portolan_core_names::text::{Instead, harmless};
use serde_json::Value as Json;

use super::Manifest;
use crate::object::Title;

/// Merges duplicate objects. The merged object is at the position of the first object, and the
/// values of the later object take precedence. So a ServiceAccount has the values from the bundle,
/// and a Service has the ports of the webhooks.
pub(super) fn merged(manifests: Vec<Manifest>) -> Vec<Manifest> {
    let mut merged: Vec<Manifest> = Vec::with_capacity(manifests.len());
    let mut places: BTreeMap<ObjectRef, usize> = BTreeMap::new();
    for manifest in manifests {
        let identity = manifest.identity();
        match places.get(&identity) {
            Some(place) => merge(&mut merged[*place], manifest, &identity),
            None => {
                places.insert(identity, merged.len());
                merged.push(manifest);
            }
        }
    }
    merged
}

fn merge(first: &mut Manifest, second: Manifest, identity: &ObjectRef) {
    let (from, also) = (&first.origin, &second.origin);
    if first.object != second.object {
        let note = format!(
            "{} comes from {from} and from {also}; where they differ, the latter is used",
            Title(identity)
        );
        first.notes.push(harmless(&note, Instead::Escape));
        lay_over(&mut first.object, second.object);
    }
}

/// Merges two objects key by key. Any other value is replaced.
fn lay_over(base: &mut Json, over: Json) {
    match (base, over) {
        (Json::Object(base), Json::Object(over)) => {
            for (key, value) in over {
                lay_over(base.entry(key).or_insert(Json::Null), value);
            }
        }
        (base, over) => *base = over,
    }
}
