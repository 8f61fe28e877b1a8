//! The canonical form of manifests, and their digests.

use serde_json::{Map, Number, Value};
use sha2::{Digest as _, Sha256};

/// Returns the digest of a manifest, computed from its canonical bytes.
pub fn digest(manifest: &Value) -> String {
    named(&Sha256::digest(canonical(manifest)))
}

pub(super) fn named(hash: &[u8]) -> String {
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// Returns the manifest as JSON without whitespace and with sorted keys.
pub fn canonical(manifest: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(manifest, &mut bytes);
    bytes
}

pub(super) fn write(value: &Value, bytes: &mut Vec<u8>) {
    let separated = |bytes: &mut Vec<u8>, at: usize| {
        if at > 0 {
            bytes.push(b',');
        }
    };
    match value {
        Value::Array(items) => {
            bytes.push(b'[');
            for (at, item) in items.iter().enumerate() {
                separated(bytes, at);
                write(item, bytes);
            }
            bytes.push(b']');
        }
        Value::Object(fields) => {
            bytes.push(b'{');
            for (at, (key, value)) in sorted(fields).into_iter().enumerate() {
                separated(bytes, at);
                bytes.extend(Value::from(key.as_str()).to_string().into_bytes());
                bytes.push(b':');
                write(value, bytes);
            }
            bytes.push(b'}');
        }
        Value::Number(number) => bytes.extend(digits(number).into_bytes()),
        Value::Null | Value::Bool(_) | Value::String(_) => {
            bytes.extend(value.to_string().into_bytes());
        }
    }
}

/// Formats a number as the API server stores it: `1.0` becomes `1`.
fn digits(number: &Number) -> String {
    /// From this value on, the API server writes numbers with an exponent.
    const LARGE: f64 = 1e21;
    let float = number.as_f64().filter(|_| number.is_f64());
    match float.filter(|float| float.fract() == 0.0 && float.abs() < LARGE) {
        // Adding zero turns -0 into 0.
        Some(float) => (float + 0.0).to_string(),
        None => number.to_string(),
    }
}

fn sorted(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_unstable_by_key(|(key, _)| *key);
    fields
}
