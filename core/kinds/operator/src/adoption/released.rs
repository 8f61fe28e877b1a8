//! Creates the patches that make OLM release an object.

use portolan_core_certificate::MADE;
use portolan_core_names::text::pointer_step;
use serde_json::{Value, json};

/// The key of the CA certificate in a webhook Secret that OLM created.
const OLM_AUTHORITY: &str = "olmCAKey";
/// The field managers of OLM.
const MANAGERS: [&str; 3] = ["catalog", "olm", "olm.install"];
/// The labels and annotations that OLM sets on objects while it manages them. No other program uses
/// these keys.
const MARKS: [&str; 9] = [
    "olm.copiedFrom",
    "olm.deployment-spec-hash",
    "olm.managed",
    "olm.owner",
    "olm.owner.kind",
    "olm.owner.namespace",
    "olm.permissions.hash",
    "olm.webhook-description-generate-name",
    "olm.webhook-description-hash",
];
/// The key prefixes of more labels and annotations that only OLM uses.
const MARK_PREFIXES: [&str; 2] = [
    "operators.coreos.com/",
    "operatorframework.io/installed-alongside-",
];

/// Returns true if only OLM uses a label or an annotation.
pub(super) fn is_mark(key: &str) -> bool {
    MARKS.contains(&key) || key == "olmcahash" || MARK_PREFIXES.iter().any(|it| key.starts_with(it))
}

/// Returns the JSON patch operations that remove OLM's labels, annotations, owner references and
/// managedFields entries from an object. Returns no operations if the object has none of these.
pub(crate) fn disown(object: &Value) -> Vec<Value> {
    let mut operations = Vec::new();
    for map in ["labels", "annotations"] {
        let known = object["metadata"][map].as_object();
        let marks = known.into_iter().flatten().filter(|(key, _)| is_mark(key));
        operations.extend(marks.map(|(key, _)| {
            let key = pointer_step(key);
            json!({"op": "remove", "path": format!("/metadata/{map}/{key}")})
        }));
    }
    let of_olm = |owner: &Value| {
        let version = owner["apiVersion"].as_str().unwrap_or_default();
        owner["kind"] == "ClusterServiceVersion" && version.starts_with("operators.coreos.com/")
    };
    operations.extend(without(object, "ownerReferences", of_olm));
    let is_manager = |entry: &Value| {
        let manager = entry["manager"].as_str();
        manager.is_some_and(|manager| MANAGERS.contains(&manager))
    };
    operations.extend(without(object, "managedFields", is_manager));
    operations
}

/// Returns the object without the labels, annotations, owner references and managedFields entries
/// of OLM.
pub fn disowned(object: &Value) -> Value {
    let mut disowned = object.clone();
    for operation in disown(object) {
        let path = operation["path"].as_str().unwrap_or_default();
        let Some((parent, key)) = path.rsplit_once('/') else {
            continue;
        };
        let key = key.replace("~1", "/").replace("~0", "~");
        let Some(fields) = disowned.pointer_mut(parent).and_then(Value::as_object_mut) else {
            continue;
        };
        match operation.get("value") {
            Some(value) if *value != json!([]) => drop(fields.insert(key, value.clone())),
            _ => drop(fields.remove(&key)),
        }
        if fields.is_empty() {
            forget(&mut disowned, parent);
        }
    }
    disowned
}

/// Removes the field at a JSON pointer.
fn forget(object: &mut Value, path: &str) {
    if let Some((parent, key)) = path.rsplit_once('/')
        && let Some(fields) = object.pointer_mut(parent).and_then(Value::as_object_mut)
    {
        fields.remove(key);
    }
}

/// Returns the operation that removes all items for which `goes` returns true from a list in the
/// metadata. Returns None if the list contains no such item.
fn without(object: &Value, list: &str, goes: impl Fn(&Value) -> bool) -> Option<Value> {
    let items = object["metadata"][list].as_array()?;
    let kept: Vec<_> = items.iter().filter(|item| !goes(item)).cloned().collect();
    (kept.len() < items.len())
        .then(|| json!({"op": "replace", "path": format!("/metadata/{list}"), "value": kept}))
}

/// Returns the operations that transfer a certificate Secret from OLM to the certificate
/// controller. Returns no operations if OLM has not created the Secret, or if the Secret was
/// transferred before.
pub(crate) fn hand_over_certificate(secret: &Value) -> Vec<Value> {
    let is_of_olm = secret["data"].get(OLM_AUTHORITY).is_some();
    if secret["kind"] != "Secret" || !is_of_olm {
        return Vec::new();
    }
    let mut operations = disown(secret);
    if secret["metadata"]["labels"][MADE] != "true" {
        let key = pointer_step(MADE);
        if !secret["metadata"]["labels"].is_object() {
            operations.push(json!({"op": "add", "path": "/metadata/labels", "value": {}}));
        }
        let path = format!("/metadata/labels/{key}");
        operations.push(json!({"op": "add", "path": path, "value": "true"}));
    }
    operations
}

/// Returns the operations that remove the conversion webhooks from a ClusterServiceVersion. The
/// ClusterServiceVersion is deleted later, and OLM would then remove these webhooks from the CRDs.
/// Returns no operations if the ClusterServiceVersion has no conversion webhooks.
pub(crate) fn without_conversions(csv: &Value) -> Vec<Value> {
    let Some(webhooks) = csv["spec"]["webhookdefinitions"].as_array() else {
        return Vec::new();
    };
    let kept = webhooks
        .iter()
        .filter(|it| it["type"] != "ConversionWebhook");
    let kept: Vec<_> = kept.cloned().collect();
    if kept.len() == webhooks.len() {
        return Vec::new();
    }
    vec![json!({"op": "replace", "path": "/spec/webhookdefinitions", "value": kept})]
}
