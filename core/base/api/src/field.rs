//! Finds fields whose stored value differs from the applied value.

use serde_json::Value;

/// A field that another field manager reverts each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contest {
    /// The kind of the object.
    pub kind: &'static str,
    /// The name of the object.
    pub name: String,
    /// The field, such as `spec.channel`.
    pub field: String,
    /// The field manager that reverts the field.
    pub manager: String,
}

/// A field that was applied as a whole, but that the API server stored with another value. API
/// servers drop subfields that the CRD does not declare.
#[derive(Debug, Clone, PartialEq)]
pub struct PrunedField {
    /// The kind of the object.
    pub kind: &'static str,
    /// The name of the object.
    pub name: String,
    /// The field, such as `spec.config`.
    pub field: String,
    /// The value that was applied.
    pub wrote: Value,
    /// The value that the API server stored. None if it stored no value.
    pub kept: Option<Value>,
}

// === impl PrunedField ===

impl PrunedField {
    /// Returns the paths of the subfields that are missing or have another value than the applied
    /// value, such as `spec.config.env[0].name`.
    pub fn lost(&self) -> Vec<String> {
        let mut lost = Vec::new();
        compare(&self.field, &self.wrote, self.kept.as_ref(), &mut lost);
        lost
    }
}

/// Collects the paths of missing and changed subfields. Ignores additional subfields.
fn compare(field: &str, wrote: &Value, kept: Option<&Value>, lost: &mut Vec<String>) {
    match (wrote, kept) {
        (Value::Object(wrote), Some(Value::Object(kept))) => {
            for (name, value) in wrote {
                let below = if name.contains('.') {
                    format!("{field}[{name}]")
                } else {
                    format!("{field}.{name}")
                };
                compare(&below, value, kept.get(name), lost);
            }
        }
        (Value::Array(wrote), Some(Value::Array(kept))) if wrote.len() == kept.len() => {
            for (place, (value, kept)) in wrote.iter().zip(kept).enumerate() {
                compare(&format!("{field}[{place}]"), value, Some(kept), lost);
            }
        }
        (wrote, kept) if kept != Some(wrote) => lost.push(field.to_owned()),
        (_, _) => {}
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::a_part(json!({"a": 1, "b": 2}), Some(json!({"a": 1})), &["spec.config.b"])]
    #[case::a_part_of_a_part(
        json!({"a": {"b": 1, "c.d": 2}}), Some(json!({"a": {"b": 1}})), &["spec.config.a[c.d]"]
    )]
    #[case::a_part_of_an_entry(
        json!({"env": [{"name": "A"}, {"name": "B", "x": 1}]}),
        Some(json!({"env": [{"name": "A"}, {"name": "B"}]})),
        &["spec.config.env[1].x"]
    )]
    #[case::an_entry(json!({"env": [1, 2]}), Some(json!({"env": [1]})), &["spec.config.env"])]
    #[case::a_value(json!({"a": "1000m"}), Some(json!({"a": "1"})), &["spec.config.a"])]
    #[case::all(json!({"a": 1}), None, &["spec.config"])]
    #[case::nothing_where_something_is_added(json!({"a": 1}), Some(json!({"a": 1, "b": 2})), &[])]
    fn lists_dropped_fields(
        #[case] wrote: Value,
        #[case] kept: Option<Value>,
        #[case] lost: &[&str],
    ) {
        let pruned = PrunedField {
            kind: "Subscription",
            name: "etcd".to_owned(),
            field: "spec.config".to_owned(),
            wrote,
            kept,
        };
        assert_eq!(pruned.lost(), lost);
    }
}
