//! JSON patches that fit an object only if it is as it was seen.

use portolan_api::FINALIZER;
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// The object as it must be for a patch to fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight<'a> {
    pub(super) uid: &'a str,
    pub(super) version: &'a str,
}

impl Sight<'_> {
    /// A patch that does these operations, and fits only this object.
    pub(super) fn patch(&self, operations: Vec<Value>) -> Value {
        let mut all = vec![
            json!({"op": "test", "path": "/metadata/uid", "value": self.uid}),
            json!({"op": "test", "path": "/metadata/resourceVersion", "value": self.version}),
        ];
        all.extend(operations);
        Value::Array(all)
    }
}

/// Writes one field whole, or removes it.
pub(super) fn field(path: &str, value: Option<&Value>) -> Value {
    match value {
        Some(value) => json!({"op": "add", "path": path, "value": value}),
        None => json!({"op": "remove", "path": path}),
    }
}

/// Adds the finalizer to these; None if it is there.
pub(super) fn hold(finalizers: &[String]) -> Option<Value> {
    match finalizers {
        all if all.iter().any(|each| each == FINALIZER) => None,
        [] => Some(field("/metadata/finalizers", Some(&json!([FINALIZER])))),
        _ => Some(field("/metadata/finalizers/-", Some(&json!(FINALIZER)))),
    }
}

/// Takes the finalizer from these, and leaves the others; None if it is not there.
pub(super) fn release(finalizers: &[String]) -> Option<Vec<Value>> {
    let place = finalizers.iter().position(|each| each == FINALIZER)?;
    let path = format!("/metadata/finalizers/{place}");
    Some(vec![
        json!({"op": "test", "path": path, "value": FINALIZER}),
        field(&path, None),
    ])
}
