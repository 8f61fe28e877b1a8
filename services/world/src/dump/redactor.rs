//! Redacts the values of environment variables and of Secrets in a dump.

use std::collections::HashMap;

use portolan_api::plan::{GROUP, ResourceManifest, Stored};
use portolan_core_install::{digest, opened};
use serde_json::{Map, Value, json};

/// The JSON text before the value of an environment variable.
const QUOTED: &str = "\"value\":\"";

/// The annotation that contains the manifest of the last `kubectl apply`. It is removed, because it
/// is a second copy of the object.
const APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The redacted values. Each value is replaced with a number. Equal values get the same number, so
/// that equal objects remain equal. The values cannot be derived from the numbers.
#[derive(Debug, Default)]
pub(crate) struct Redactor {
    numbers: HashMap<String, usize>,
}

// === impl Redactor ===

impl Redactor {
    /// Returns the number of different redacted values.
    pub(crate) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Redacts the values in an object and in the manifests that the object contains.
    pub(crate) fn of(&mut self, object: &mut Value) {
        match object {
            Value::Object(fields) => self.of_fields(fields),
            Value::Array(items) => items.iter_mut().for_each(|item| self.of(item)),
            Value::String(text) => self.of_text(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn of_fields(&mut self, fields: &mut Map<String, Value>) {
        fields.remove(APPLIED);
        if fields.get("kind").is_some_and(|kind| kind == "Secret") {
            self.of_secret(fields);
        }
        // Removes the spec temporarily, because its content must be redacted only once. `of_stored`
        // redacts the spec.
        let stored = if is_resource_manifest(fields) {
            fields.remove("spec")
        } else {
            None
        };
        for (name, value) in &mut *fields {
            match value {
                Value::Array(variables) if name == "env" => self.of_variables(variables),
                Value::String(manifest) if name == "manifest" => self.of_manifest(manifest),
                other => self.of(other),
            }
        }
        if let Some(mut spec) = stored {
            self.of_stored(&mut spec);
            fields.insert("spec".to_owned(), spec);
        }
    }

    /// Redacts the spec of a ResourceManifest. With the old digest, a user could check a guess of a
    /// redacted value, so a new digest is computed from the redacted content. Content that cannot
    /// be unpacked may contain any value, so the content is removed.
    fn of_stored(&mut self, spec: &mut Value) {
        let written = ResourceManifest {
            spec: spec.clone().into(),
            ..ResourceManifest::default()
        };
        let stored = Stored::parse(&written).ok();
        let opened = stored.and_then(|stored| Some((stored.digest, opened(stored.body).ok()?)));
        let Some((said, mut manifest)) = opened else {
            self.of(spec);
            if let Some(packed) = spec.get_mut("compressed") {
                *packed = Value::String(String::new());
            }
            return;
        };
        let was = digest(&manifest);
        self.of(&mut manifest);
        let is = digest(&manifest);
        if is != was {
            // A digest that was already wrong before the redaction is kept.
            let digest = if said == was { is } else { said };
            *spec = json!({"digest": digest, "manifest": manifest});
        }
    }

    fn of_variables(&mut self, variables: &mut [Value]) {
        for variable in variables {
            if let Some(value) = variable.get_mut("value") {
                self.replace(value);
            }
        }
    }

    fn of_secret(&mut self, secret: &mut Map<String, Value>) {
        for field in ["data", "stringData"] {
            let values = secret.get_mut(field).and_then(Value::as_object_mut);
            for value in values.into_iter().flat_map(Map::values_mut) {
                self.replace(value);
            }
        }
    }

    /// Redacts a manifest. A manifest that cannot be parsed may contain any value, so its text is
    /// removed.
    fn of_manifest(&mut self, manifest: &mut String) {
        *manifest = match serde_json::from_str::<Value>(manifest) {
            Ok(mut inner) => {
                self.of(&mut inner);
                inner.to_string()
            }
            Err(_) => String::new(),
        };
    }

    /// Redacts a message, which may quote fields with their values. The quotation may be truncated.
    fn of_text(&mut self, text: &mut String) {
        if !text.contains(QUOTED) {
            return;
        }
        let mut kept = String::new();
        let mut rest = text.as_str();
        while let Some((before, behind)) = rest.split_once(QUOTED) {
            let end = end_of_quotation(behind);
            kept.push_str(before);
            kept.push_str(QUOTED);
            kept.push_str(&self.number(behind[..end].to_owned()));
            rest = &behind[end..];
        }
        kept.push_str(rest);
        *text = kept;
    }

    fn replace(&mut self, value: &mut Value) {
        let text = match *value {
            Value::String(ref mut text) => std::mem::take(text),
            ref other => other.to_string(),
        };
        *value = self.number(text).into();
    }

    /// Replaces a text with a number. The result can still be recognized as a template.
    fn number(&mut self, text: String) -> String {
        let template = if text.contains("{{") { " {{" } else { "" };
        let next = self.numbers.len() + 1;
        let number = self.numbers.entry(text).or_insert(next);
        format!("(left out: {number}{template})")
    }
}

fn is_resource_manifest(fields: &Map<String, Value>) -> bool {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let group = text("apiVersion").split('/').next();
    group == Some(GROUP) && text("kind") == "ResourceManifest"
}

/// Returns the position at which a JSON string ends. `text` starts after the opening quotation
/// mark.
fn end_of_quotation(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.find(|char| {
        let is_end = char == '"' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        is_end
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use portolan_core_install::{Contents, pack};
    use rstest::rstest;

    use super::*;

    fn without(mut object: Value) -> Value {
        Redactor::default().of(&mut object);
        object
    }

    #[test]
    fn equal_variable_values_get_equal_placeholders() {
        let container = |value: &str| {
            json!({"image": "a", "env": [
                {"name": "TOKEN", "value": value},
                {"name": "FROM", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
            ]})
        };
        let pod = |values: [&str; 3]| json!({"spec": {"containers": values.map(container)}});
        let left = ["(left out: 1)", "(left out: 2)", "(left out: 1)"];
        assert_eq!(without(pod(["a", "b", "a"])), pod(left));
    }

    #[test]
    fn embedded_manifests_are_redacted() {
        let manifest = |data: &str, value: &str| {
            let secret = json!({"kind": "Secret", "data": {"key": data}});
            let deployment = json!({"env": [{"name": "A", "value": value}]});
            [secret, deployment].map(|manifest| json!({"manifest": manifest.to_string()}))
        };
        let plan = |steps| json!({"status": {"plan": steps}});
        let found = without(plan(json!(manifest("c2VjcmV0", "secret"))));
        assert_eq!(
            found,
            plan(json!(manifest("(left out: 1)", "(left out: 2)")))
        );
        let torn = without(json!({"manifest": "{\"kind\": \"Secret\", \"data"}));
        assert_eq!(torn, json!({"manifest": ""}));
    }

    #[test]
    fn quotes_in_messages_use_the_placeholders_of_their_values() {
        let variable = |value: &str| json!({"env": [{"name": "A", "value": value}]});
        let said = |value: &str, other: &str| {
            format!(r#"is [{{"name":"A","value":"{value}"}}] and shall be [{{"value":"{other}…"#)
        };
        let found = without(json!([
            variable("se\\cret"),
            said("x\\\"y", "se\\cret"),
            variable("{{ x }}")
        ]));
        let wanted = json!([
            variable("(left out: 1)"),
            said("(left out: 2)", "(left out: 3)").replace('…', ""),
            variable("(left out: 4 {{)"),
        ]);
        assert_eq!(found, wanted);
        let harmless = json!("the value is \"high\"");
        assert_eq!(without(harmless.clone()), harmless);
    }

    #[test]
    fn last_applied_annotation_is_removed() {
        let annotations = json!({APPLIED: "{\"env\": [{\"value\": \"x\"}]}", "other": "y"});
        let object = json!({"metadata": {"annotations": annotations}, "spec": {"env": "prod"}});
        let wanted = json!({
            "metadata": {"annotations": {"other": "y"}},
            "spec": {"env": "prod"},
        });
        assert_eq!(without(object), wanted);
    }

    fn secret(key: &str, value: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "door"}, key: {"key": value}})
    }

    fn stored(spec: Value) -> Value {
        json!({"apiVersion": "plans.portolan.dev/v1alpha1", "kind": "ResourceManifest", "spec": spec})
    }

    /// A correct digest is still correct after the redaction.
    #[rstest]
    #[case::plain(|manifest: Value| json!({"digest": digest(&manifest), "manifest": manifest}))]
    #[case::compressed(|manifest: Value| json!({"digest": digest(&manifest), "compressed": pack(&manifest)}))]
    fn redacts_secrets_in_resource_manifests(
        #[values("data", "stringData")] key: &str,
        #[case] spec: fn(Value) -> Value,
    ) {
        let found = without(stored(spec(secret(key, "bWVsbG9u"))));
        let left = secret(key, "(left out: 1)");
        let wanted = json!({"digest": digest(&left), "manifest": left});
        assert_eq!(found, stored(wanted));
    }

    #[test]
    fn empty_resource_manifests_are_unchanged() {
        let manifest = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"key": "value"}});
        let spec = json!({"digest": digest(&manifest), "compressed": pack(&manifest)});
        assert_eq!(without(stored(spec.clone())), stored(spec));
    }

    #[rstest]
    #[case::of_another(
        json!({"digest": digest(&json!(1)), "manifest": secret("data", "bWVsbG9u")}),
        json!({"digest": digest(&json!(1)), "manifest": secret("data", "(left out: 1)")})
    )]
    #[case::that_is_torn(
        json!({"digest": digest(&json!(1)), "compressed": "bWVsbG9u"}),
        json!({"digest": digest(&json!(1)), "compressed": ""})
    )]
    #[case::manifest_that_no_plan_uses(
        json!({"compressed": pack(&secret("data", "a")), "manifest": secret("data", "a")}),
        json!({"compressed": "", "manifest": secret("data", "(left out: 1)")})
    )]
    fn invalid_resource_manifest_stays_invalid_after_redaction(
        #[case] spec: Value,
        #[case] wanted: Value,
    ) {
        assert_eq!(without(stored(spec)), stored(wanted));
    }

    /// Secrets are also redacted if they are members of an InstallPlan.
    #[test]
    fn plans_keep_no_secrets() {
        let plan = |secret: Value, spec: Value| {
            let stages = json!([{"resources": [{"manifest": secret}, {"manifest": stored(spec)}]}]);
            json!({"kind": "InstallPlan", "spec": {"stages": stages}})
        };
        let spec = |manifest: Value| json!({"digest": digest(&manifest), "manifest": manifest});
        let inner = secret("data", "bWVsbG9u");
        let found = without(plan(secret("stringData", "mellon"), spec(inner)));
        let inner = secret("data", "(left out: 2)");
        assert_eq!(
            found,
            plan(secret("stringData", "(left out: 1)"), spec(inner))
        );
    }

    /// The digest in a dumped ResourceManifest belongs to its redacted content.
    #[test]
    fn plan_reads_a_redacted_resource_manifest() {
        let manifest = secret("data", "bWVsbG9u");
        let spec = json!({"digest": digest(&manifest), "compressed": pack(&manifest)});
        let mut found = without(stored(spec));
        found["metadata"] = json!({"name": "door"});
        let found = serde_json::from_value(found).expect("a ResourceManifest");
        let mut contents = Contents::default();
        contents
            .resource_manifests
            .insert("door".to_owned(), Some(found));
        let plan = json!({
            "apiVersion": "plans.portolan.dev/v1alpha1",
            "kind": "InstallPlan",
            "metadata": {"name": "ferry", "namespace": "harbor"},
            "spec": {"serviceAccountName": "installer", "stages": [
                {"name": "all", "resources": [{"ref": {"name": "door"}}]},
            ]},
        });
        let plan = serde_json::from_value(plan).expect("a plan");
        let version = portolan_core_install::PlanVersion::read(&plan, &contents).expect("a plan");
        let faults: Vec<_> = version.faults.iter().map(ToString::to_string).collect();
        assert_eq!(faults, Vec::<String>::new());
    }
}
