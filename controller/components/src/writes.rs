//! The writes of this controller: labels, and what is stored of an Operator.

use portolan_api::components::STORED;
use portolan_core_components::{Identity, Stored, label_key};
use portolan_core_names::text::pointer_step;
use portolan_runtime::{Seen, Write, set};
use portolan_world::RawObject;
use serde_json::{Value, json};

use crate::readings::at;
use crate::watched::WatchedKind;

/// The write that gives an object the label of an Operator; None if it has it.
pub(crate) fn give_label(kind: &WatchedKind, object: &RawObject, operator: &str) -> Option<Write> {
    let json: Value = serde_json::from_str(&object.json).ok()?;
    let key = label_key(operator);
    let labels = &json["metadata"]["labels"];
    let path = format!("/metadata/labels/{}", pointer_step(&key));
    let operations = match labels.as_object() {
        Some(labels) if labels.contains_key(&key) => return None,
        Some(_) => vec![set(&path, Some(&json!("")))],
        None => vec![set("/metadata/labels", Some(&json!({key: ""})))],
    };
    let seen = seen(&kind.id(&object.key), &kind.plural, &json["metadata"]);
    Some(Write::patch(seen, operations).labeled("label"))
}

/// The write that takes the label of an Operator off an object; None if it has none.
pub(crate) fn take_label(kind: &WatchedKind, object: &RawObject, operator: &str) -> Option<Write> {
    let json: Value = serde_json::from_str(&object.json).ok()?;
    let key = label_key(operator);
    if json["metadata"]["labels"][&key].is_null() {
        return None;
    }
    let seen = seen(&kind.id(&object.key), &kind.plural, &json["metadata"]);
    let path = format!("/metadata/labels/{}", pointer_step(&key));
    Some(Write::field(seen, &path, None).labeled("unlabel"))
}

/// The write that gives an Install another content.
pub(crate) fn change_content(
    kind: &WatchedKind,
    object: &RawObject,
    content: &Value,
) -> Option<Write> {
    let json: Value = serde_json::from_str(&object.json).ok()?;
    let seen = seen(&kind.id(&object.key), &kind.plural, &json["metadata"]);
    Some(Write::field(seen, "/spec/content", Some(content.clone())).labeled("content"))
}

/// The write that stores what is known of an Operator.
pub(crate) fn store(seen: Seen, has_annotations: bool, stored: &Stored) -> Write {
    let text = json!(stored.to_text());
    let path = format!("/metadata/annotations/{}", pointer_step(STORED));
    let operations = if has_annotations {
        vec![set(&path, Some(&text))]
    } else {
        vec![set("/metadata/annotations", Some(&json!({STORED: text})))]
    };
    Write::patch(seen, operations).labeled("status")
}

fn seen(id: &Identity, plural: &str, metadata: &Value) -> Seen {
    let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
    Seen {
        object: at(id, plural),
        uid: text("uid"),
        version: text("resourceVersion"),
    }
}
