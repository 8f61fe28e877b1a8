//! The JSON document that is the input of a Policy's rule. The schema of the document is in
//! `docs/policy-input.schema.json`.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::consent::{Move, Version};

/// The version of the document format. A version may get new fields but never loses a field, so
/// rules may rely on every field. The removal of a field requires a new version.
pub const DOCUMENT_VERSION: &str = "policy.portolan.dev/v1";

/// Returns the input document for one requested move.
pub fn document(asked: &Move, at: Timestamp) -> Value {
    let Move {
        operator,
        package,
        labels,
        from,
        to,
    } = asked;
    let mut moved = json!({"to": version(to)});
    // If no version is installed, the document has no `from` field. Rules can test for this case
    // with `not`.
    if let Some(from) = from {
        moved["from"] = version(from);
    }
    json!({
        "apiVersion": DOCUMENT_VERSION,
        "operator": {
            "kind": operator.kind.as_str(),
            "namespace": operator.namespace,
            "name": operator.name,
            "packageName": package,
            "labels": labels,
        },
        "move": moved,
        "time": at.to_string(),
    })
}

fn version(version: &Version) -> Value {
    let Version { bundle, version } = version;
    json!({"bundle": bundle, "version": version})
}
