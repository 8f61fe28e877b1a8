//! Whose fields are whose, in the words of server-side apply.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use portolan_api::MANAGER;
use serde_json::{Map, Value, json};

#[cfg(test)]
mod tests;

/// The name under which the established controller writes.
const ESTABLISHED: &str = "config-policy-controller";
/// What is never applied but written whole, under `f:spec`.
const WHOLE: &[&str] = &["f:config", "f:selector", "f:targetNamespaces"];

/// Takes the fields from the established controller that it wrote itself; None if it has none.
///
/// An apply that changes nothing of a value leaves it to both, and then neither can remove it.
pub(super) fn take_over(entries: &[ManagedFieldsEntry]) -> Option<Vec<Value>> {
    let theirs = entries.iter().enumerate().filter(|(_, entry)| {
        entry.manager.as_deref() == Some(ESTABLISHED) && entry.subresource.is_none()
    });
    // From the last on: a removal moves up what comes after it.
    let removals: Vec<Value> = theirs.rev().flat_map(|(place, _)| removal(place)).collect();
    (!removals.is_empty()).then_some(removals)
}

/// Makes applied fields of those that an object was created with, so that a later apply without
/// one of them removes it. What is written whole stays as it is, and what the API server added by
/// default is nobody's.
pub(super) fn adopt(entries: &[ManagedFieldsEntry], manifest: &Value) -> Option<Vec<Value>> {
    let place = entries.iter().position(|entry| {
        entry.manager.as_deref() == Some(MANAGER)
            && entry.operation.as_deref() == Some("Update")
            && entry.subresource.is_none()
    })?;
    let entry = &entries[place];
    let mut fields = given(entry.fields_v1.as_ref()?.0.clone(), manifest);
    let whole = split_whole(&mut fields);
    let applied = with(entry, "Apply", without_dots(fields));
    let path = format!("/metadata/managedFields/{place}");
    let mut operations = vec![json!({"op": "replace", "path": path, "value": applied})];
    if let Some(whole) = whole {
        let written = with(entry, "Update", whole);
        operations
            .push(json!({"op": "add", "path": "/metadata/managedFields/-", "value": written}));
    }
    Some(operations)
}

/// Whether an entry owns a field.
pub(super) fn owns(entry: &ManagedFieldsEntry, path: &[String]) -> bool {
    let Some(fields) = &entry.fields_v1 else {
        return false;
    };
    let mut fields = &fields.0;
    for (depth, key) in path.iter().enumerate() {
        match fields.get(format!("f:{key}")) {
            Some(below) => fields = below,
            // One that owns a field and nothing below it owns all that is below.
            None => return depth > 0 && fields.as_object().is_some_and(Map::is_empty),
        }
    }
    true
}

fn removal(place: usize) -> [Value; 2] {
    let path = format!("/metadata/managedFields/{place}");
    [
        json!({"op": "test", "path": format!("{path}/manager"), "value": ESTABLISHED}),
        json!({"op": "remove", "path": path}),
    ]
}

fn with(entry: &ManagedFieldsEntry, operation: &str, fields: Value) -> Value {
    json!({
        "manager": MANAGER,
        "operation": operation,
        "apiVersion": entry.api_version,
        "time": entry.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    })
}

/// Of a field set what a manifest has.
fn given(fields: Value, manifest: &Value) -> Value {
    let Value::Object(fields) = fields else {
        return fields;
    };
    let fields = fields.into_iter().filter_map(|(key, below)| {
        let Some(name) = key.strip_prefix("f:") else {
            return Some((key, below));
        };
        let value = manifest.get(name)?;
        let below = given(below, value);
        Some((key, below))
    });
    Value::Object(fields.collect())
}

/// Takes out of a field set what is written whole.
fn split_whole(fields: &mut Value) -> Option<Value> {
    let spec = fields.get_mut("f:spec")?.as_object_mut()?;
    let whole: Map<String, Value> = WHOLE
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), spec.remove(*key)?)))
        .collect();
    // A claim on a field and on nothing in it is one on all that is in it.
    if spec.keys().all(|key| key == ".") {
        fields.as_object_mut()?.remove("f:spec");
    }
    (!whole.is_empty()).then(|| json!({"f:spec": whole}))
}

/// Without the claims on maps as such: who applies owns the entries, and a map that he gives up
/// would go with the entries of others.
fn without_dots(fields: Value) -> Value {
    match fields {
        Value::Object(fields) => {
            let below = fields.into_iter().filter(|(key, _)| key != ".");
            Value::Object(
                below
                    .map(|(key, value)| (key, without_dots(value)))
                    .collect(),
            )
        }
        other => other,
    }
}
