//! The result of resolving the templates of a policy.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::refusal::Refusal;

/// The result of resolving the templates in a spec. The resolved spec itself is stored separately.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rendered {
    /// The spec as its author wrote it.
    pub written: Value,
    /// The resolved spec for display. Values from Secrets are replaced by marks.
    pub shown: Value,
    /// The errors of templates that could not be resolved. If there are errors, the spec is
    /// unchanged.
    pub refused: Vec<Refusal>,
}

// === impl Rendered ===

impl Rendered {
    /// Returns true if all templates were resolved.
    pub fn is_whole(&self) -> bool {
        self.refused.is_empty()
    }

    /// Returns the operator's environment variables whose values come from Secrets, each with the
    /// mark to display instead of its value. `spec` is the resolved spec.
    pub fn secret_variables(&self, spec: &Value) -> BTreeMap<String, String> {
        let variables = |spec: &Value| {
            let variables = spec.pointer("/subscription/config/env");
            variables.and_then(Value::as_array).cloned()
        };
        let (real, shown) = (variables(spec), variables(&self.shown));
        let pairs = real.into_iter().flatten().zip(shown.into_iter().flatten());
        let secret = pairs.filter_map(|(real, shown)| {
            let is_secret = real["value"] != shown["value"];
            let name = real["name"].as_str().filter(|_| is_secret)?;
            Some((name.to_owned(), shown["value"].as_str()?.to_owned()))
        });
        secret.collect()
    }

    /// Returns the fields that templates changed, each with the original value and the value for
    /// display.
    pub fn differences(&self) -> Vec<(String, Value, Value)> {
        let mut found = Vec::new();
        compare("spec", &self.written, &self.shown, &mut found);
        found
    }
}

fn compare(field: &str, written: &Value, shown: &Value, found: &mut Vec<(String, Value, Value)>) {
    match (written, shown) {
        (Value::Object(before), Value::Object(after)) if before.keys().eq(after.keys()) => {
            for (name, value) in before {
                compare(&format!("{field}.{name}"), value, &after[name], found);
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            for (place, (value, after)) in before.iter().zip(after).enumerate() {
                compare(&format!("{field}[{place}]"), value, after, found);
            }
        }
        (before, after) if before != after => {
            found.push((field.to_owned(), before.clone(), after.clone()));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(versions: &Value, value: &str) -> Value {
        json!({
            "subscription": {"config": {"env": [{"name": "TOKEN", "value": value}]}},
            "versions": versions,
        })
    }

    #[test]
    fn hides_secret_values_in_differences() {
        let rendered = Rendered {
            written: spec(&json!(["{{ a }}"]), "{{ b }}"),
            shown: spec(&json!(["x", "y"]), "<Secret harbor/key token>"),
            refused: Vec::new(),
        };
        let expected = [
            (
                "spec.subscription.config.env[0].value".to_owned(),
                json!("{{ b }}"),
                json!("<Secret harbor/key token>"),
            ),
            (
                "spec.versions".to_owned(),
                json!(["{{ a }}"]),
                json!(["x", "y"]),
            ),
        ];
        assert_eq!(rendered.differences(), expected);
        let secret = rendered.secret_variables(&spec(&json!(["x", "y"]), "hunter2"));
        let mark = "<Secret harbor/key token>".to_owned();
        assert_eq!(secret, [("TOKEN".to_owned(), mark)].into());
    }
}
