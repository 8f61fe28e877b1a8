//! Simulates the field owners of objects on the small API server.

use portolan_core_install::{Fields, OwnedField, Owner};
use serde_json::{Map, Value, json};

use super::writer;

pub(super) fn entry(manager: &str, operation: &str, manifest: &Value) -> Value {
    let mut fields = set(manifest);
    fields
        .as_object_mut()
        .expect("a set")
        .retain(|key, _| !["f:apiVersion", "f:kind"].contains(&key.as_str()));
    let metadata = fields["f:metadata"].as_object_mut().expect("metadata");
    metadata.retain(|key, _| !["f:name", "f:namespace"].contains(&key.as_str()));
    json!({"manager": manager, "operation": operation, "fieldsV1": fields})
}

pub(super) fn set(value: &Value) -> Value {
    let fields = value.as_object().into_iter().flatten();
    Value::Object(
        fields
            .map(|(key, value)| (format!("f:{key}"), set(value)))
            .collect::<Map<_, _>>(),
    )
}

/// Returns the fields that other managers own with a different value. Keys of maps must not contain
/// dots.
pub(super) fn conflicts(object: &Value, manifest: &Value) -> Vec<OwnedField> {
    let ours = writer(manifest);
    let others = Fields::of(object).others(manifest, &Owner::applies(&ours));
    let others = others
        .into_iter()
        .filter(|(owner, _)| owner.manager != ours);
    let conflicts = others.flat_map(|(owner, fields)| {
        let differs = |field: &String| {
            let pointer = field.replace('.', "/");
            object.pointer(&pointer) != manifest.pointer(&pointer)
        };
        let conflict = move |field: String| OwnedField {
            manager: owner.manager.clone(),
            subresource: None,
            field,
        };
        fields
            .into_iter()
            .filter(differs)
            .map(conflict)
            .collect::<Vec<_>>()
    });
    conflicts.collect()
}

/// Removes the fields that the previous apply of the manager contained and that the manifest lacks.
/// In the tests, no such field has a second owner.
pub(super) fn drop_fields(object: &mut Value, had: &Value, manifest: &Value) {
    for (key, below) in had.as_object().into_iter().flatten() {
        let key = key.trim_start_matches("f:");
        match (object.get_mut(key), manifest.get(key)) {
            (Some(object), Some(manifest)) => drop_fields(object, below, manifest),
            (Some(_), None) => drop(object.as_object_mut().map(|object| object.remove(key))),
            (None, _) => {}
        }
    }
}

pub(super) fn merge(object: &mut Value, manifest: &Value) {
    match (object.as_object_mut(), manifest.as_object()) {
        (Some(fields), Some(applied)) => {
            for (key, value) in applied {
                merge(fields.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        _ => *object = manifest.clone(),
    }
}
