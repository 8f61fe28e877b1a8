//! The normal form of a manifest. It omits fields that generators leave empty and fields that the
//! API server drops. It moves `stringData` to `data`, so that a later apply can remove keys.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::object::text;

/// Converts a manifest to normal form. Faults of the manifest stay, and other code reports them.
pub(super) fn normalize(manifest: &mut Value) {
    let is_secret = text(manifest, "/apiVersion") == "v1" && text(manifest, "/kind") == "Secret";
    let Some(fields) = manifest.as_object_mut() else {
        return;
    };
    // Generators write an empty status, so it is no fault.
    if fields.get("status").is_some_and(is_blank) {
        fields.remove("status");
    }
    if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|_, value| !value.is_null());
    }
    if is_secret {
        encode_texts(fields);
    }
    drop_blank_bundles(manifest);
}

/// Returns true if the value is empty, zero or false at every level.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is_so) => !is_so,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.iter().all(is_blank),
        Value::Object(fields) => fields.values().all(is_blank),
    }
}

/// Moves the entries of `stringData` in a Secret to `data`. Without this, an apply could not remove
/// a key from `stringData`: the API server would keep the key in `data`.
fn encode_texts(secret: &mut Map<String, Value>) {
    let Some(Value::Object(texts)) = secret.get("stringData") else {
        return;
    };
    let encoded = texts.iter().map(|(key, text)| {
        let encoded = text.as_str().map(|text| Value::from(STANDARD.encode(text)));
        Some((key.clone(), encoded?))
    });
    // Values that are not strings stay in `stringData`. The API server rejects them.
    let Some(encoded) = encoded.collect::<Option<Map<_, _>>>() else {
        return;
    };
    secret.remove("stringData");
    let data = secret.entry("data").or_insert_with(|| Map::new().into());
    if data.is_null() {
        *data = Map::new().into();
    }
    if let Some(data) = data.as_object_mut() {
        data.extend(encoded);
    }
}

/// Removes a `caBundle` that is only a placeholder. API servers since 1.31 reject a CRD with such a
/// placeholder.
fn drop_blank_bundles(manifest: &mut Value) {
    let kind = text(manifest, "/kind").to_owned();
    match kind.as_str() {
        "CustomResourceDefinition" => {
            drop_blank_bundle(manifest.pointer_mut("/spec/conversion/webhook/clientConfig"));
        }
        "APIService" => drop_blank_bundle(manifest.pointer_mut("/spec")),
        "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration" => {
            let webhooks = manifest.get_mut("webhooks").and_then(Value::as_array_mut);
            for webhook in webhooks.into_iter().flatten() {
                drop_blank_bundle(webhook.get_mut("clientConfig"));
            }
        }
        _ => {}
    }
}

fn drop_blank_bundle(config: Option<&mut Value>) {
    if let Some(config) = config.and_then(Value::as_object_mut)
        && config.get("caBundle").is_some_and(is_placeholder)
    {
        config.remove("caBundle");
    }
}

fn is_placeholder(bundle: &Value) -> bool {
    let bytes = bundle.as_str().map(|text| STANDARD.decode(text.trim()));
    let is_blank = |bytes: Vec<u8>| bytes.iter().all(u8::is_ascii_whitespace);
    bundle.is_null() || bytes.is_some_and(|bytes| bytes.is_ok_and(is_blank))
}
