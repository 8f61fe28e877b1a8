//! What a served schema knows of a status.

use serde_json::{Map, Value};

use crate::observe::VERSION;

#[cfg(test)]
mod tests;

/// The schema of a status, as a CRD of custom resources has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema(Value);

// === impl Schema ===

impl Schema {
    /// That of policies, from their CRD. One that says nothing of a status takes any.
    pub fn of(crd: &Value) -> Self {
        let versions = crd.pointer("/spec/versions");
        let mut versions = versions.and_then(Value::as_array).into_iter().flatten();
        let version = versions.find(|version| version["name"] == VERSION);
        let status = version
            .and_then(|version| version.pointer("/schema/openAPIV3Schema/properties/status"));
        status.map_or_else(Self::any, |status| Self(status.clone()))
    }

    /// One that takes everything.
    pub fn any() -> Self {
        Self(serde_json::json!({"x-kubernetes-preserve-unknown-fields": true}))
    }

    /// A status without what the schema does not know: what the API server would keep of it.
    pub fn cut(&self, status: Value) -> Value {
        cut(&self.0, status)
    }
}

fn cut(schema: &Value, value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(cut_fields(schema, fields)),
        Value::Array(items) => match schema.get("items") {
            Some(schema) => items.into_iter().map(|item| cut(schema, item)).collect(),
            None => Value::Array(items),
        },
        other => other,
    }
}

fn cut_fields(schema: &Value, fields: Map<String, Value>) -> Map<String, Value> {
    let kept = fields.into_iter().filter_map(|(name, value)| {
        let schema = field(schema, &name)?;
        Some((name, cut(&schema, value)))
    });
    kept.collect()
}

/// The schema of a field; None if it is not known.
fn field(schema: &Value, name: &str) -> Option<Value> {
    let Schema(any) = Schema::any();
    let declared = schema.pointer("/properties").and_then(|all| all.get(name));
    let others = schema
        .get("additionalProperties")
        .filter(|of| **of != false);
    let is_open = schema["x-kubernetes-preserve-unknown-fields"] == true;
    match (declared, others) {
        (Some(declared), _) => Some(declared.clone()),
        (None, Some(others)) if others.is_object() => Some(others.clone()),
        (None, Some(_)) => Some(any),
        (None, None) => is_open.then_some(any),
    }
}
