//! The document of JSON that a rule is asked about. Its schema is in
//! `docs/policy-input.schema.json`.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::consent::{Move, Version};

/// The version of the document: rules may rely on all that it has. It only grows; what would take
/// something away is another version.
pub const DOCUMENT_VERSION: &str = "policy.portolan.dev/v1";

/// The document about a move.
pub fn document(asked: &Move, at: Timestamp) -> Value {
    let Move {
        operator,
        package,
        labels,
        from,
        to,
    } = asked;
    let mut moved = json!({"to": version(to)});
    // What is not there can be asked for with `not`.
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
