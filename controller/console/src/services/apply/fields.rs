//! Compares the fields of an object before and after a change.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_console::view::Field;
use serde_json::Value;

/// Metadata fields that the API server or other clients write. The comparison ignores them.
const OF_OTHERS: [&str; 6] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Returns the changed fields, by path. If an object is missing, all fields of the other object are
/// changed.
pub(super) fn changed(before: &Value, after: &Value) -> Vec<Field> {
    let (before, after) = (leaves(before), leaves(after));
    let paths: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let fields = paths.into_iter().map(|path| Field {
        path: path.clone(),
        before: before.get(path).cloned().unwrap_or_default(),
        after: after.get(path).cloned().unwrap_or_default(),
    });
    fields.filter(|it| it.before != it.after).collect()
}

fn leaves(object: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (name, value) in object.as_object().into_iter().flatten() {
        match (name.as_str(), value) {
            ("apiVersion" | "kind" | "status", _) => {}
            ("metadata", Value::Object(metadata)) => {
                let own = metadata.iter();
                let own = own.filter(|(name, _)| !OF_OTHERS.contains(&name.as_str()));
                own.for_each(|(name, value)| add(&mut found, format!("metadata.{name}"), value));
            }
            (name, value) => add(&mut found, name.to_owned(), value),
        }
    }
    found
}

fn add(found: &mut BTreeMap<String, String>, path: String, value: &Value) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                add(found, format!("{path}.{name}"), value);
            }
        }
        Value::String(text) => {
            found.insert(path, text.clone());
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            found.insert(path, value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(path: &str, before: &str, after: &str) -> Field {
        let [path, before, after] = [path, before, after].map(str::to_owned);
        Field {
            path,
            before,
            after,
        }
    }

    #[test]
    fn changed_omits_fields_of_other_writers() {
        let before = json!({
            "apiVersion": "v1", "kind": "Operator", "status": {"a": 1},
            "metadata": {"name": "ferry", "resourceVersion": "1", "uid": "a"},
            "spec": {"version": "1.0.0", "settleSeconds": 5},
        });
        let after = json!({
            "apiVersion": "v1", "kind": "Operator", "status": {"a": 2},
            "metadata": {"name": "ferry", "resourceVersion": "2", "uid": "a"},
            "spec": {"version": "1.1.0", "settleSeconds": 5},
        });
        let told = changed(&before, &after);
        assert_eq!(told, [field("spec.version", "1.0.0", "1.1.0")]);
        assert_eq!(changed(&before, &before), []);
    }

    #[test]
    fn created_or_deleted_object_lists_all_its_fields() {
        let object = json!({"metadata": {"name": "ferry"}, "spec": {"adopt": true}});
        let comes = [
            field("metadata.name", "", "ferry"),
            field("spec.adopt", "", "true"),
        ];
        assert_eq!(changed(&Value::Null, &object), comes);
        let goes = [
            field("metadata.name", "ferry", ""),
            field("spec.adopt", "true", ""),
        ];
        assert_eq!(changed(&object, &Value::Null), goes);
    }
}
