//! The writes of this controller: labels, Installs, and the stored data of Operators.

use portolan_api::components::STORED;
use portolan_core_components::{BUNDLES, Stored, label_key};
use portolan_core_names::text::pointer_step;
use portolan_core_names::{Gvk, ObjectRef};
use portolan_runtime::{ObservedObject, Propagation, Write, set};
use portolan_world::RawObject;
use serde_json::{Value, json};

use crate::readings::at;
use crate::watched::WatchedKind;

/// Returns the write that adds the label of an Operator to an object. Returns None if the object
/// already has the label.
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
    let seen = observed(&kind.id(&object.key), &kind.plural, &json["metadata"]);
    Some(Write::patch(seen, operations).labeled("label"))
}

/// Returns the write that removes the label of an Operator from an object. Returns None if the
/// object does not have the label.
pub(crate) fn take_label(kind: &WatchedKind, object: &RawObject, operator: &str) -> Option<Write> {
    let json: Value = serde_json::from_str(&object.json).ok()?;
    let key = label_key(operator);
    if json["metadata"]["labels"][&key].is_null() {
        return None;
    }
    let seen = observed(&kind.id(&object.key), &kind.plural, &json["metadata"]);
    let path = format!("/metadata/labels/{}", pointer_step(&key));
    Some(Write::field(seen, &path, None).labeled("unlabel"))
}

/// Returns the write that deletes an Install.
pub(crate) fn delete_install(kind: &WatchedKind, object: &RawObject) -> Option<Write> {
    let json: Value = serde_json::from_str(&object.json).ok()?;
    let seen = observed(&kind.id(&object.key), &kind.plural, &json["metadata"]);
    Some(Write::delete(seen, Propagation::Background))
}

/// Returns the write that changes the content of an Install and records its bundles. If the Install
/// must be approved again, this write also removes the approval.
pub(crate) fn change_content(
    kind: &WatchedKind,
    object: &RawObject,
    (content, bundles): (&Value, Option<&str>),
    is_unapproved: bool,
) -> Option<Write> {
    let json: Value = serde_json::from_str(&object.json).ok()?;
    let seen = observed(&kind.id(&object.key), &kind.plural, &json["metadata"]);
    let mut operations = vec![set("/spec/content", Some(content))];
    let annotations = json["metadata"]["annotations"].as_object();
    let path = format!("/metadata/annotations/{}", pointer_step(BUNDLES));
    let is_there = annotations.is_some_and(|it| it.contains_key(BUNDLES));
    match (bundles, annotations) {
        (Some(text), Some(_)) => operations.push(set(&path, Some(&json!(text)))),
        (Some(text), None) => {
            let annotations = json!({BUNDLES: text});
            operations.push(set("/metadata/annotations", Some(&annotations)));
        }
        (None, _) if is_there => operations.push(set(&path, None)),
        (None, _) => {}
    }
    if is_unapproved {
        operations.push(set("/spec/approval", Some(&json!("Unapproved"))));
    }
    Some(Write::patch(seen, operations).labeled("content"))
}

/// Returns the write that stores the result for an Operator.
pub(crate) fn store(seen: ObservedObject, has_annotations: bool, stored: &Stored) -> Write {
    let text = json!(stored.to_text());
    let path = format!("/metadata/annotations/{}", pointer_step(STORED));
    let operations = if has_annotations {
        vec![set(&path, Some(&text))]
    } else {
        vec![set("/metadata/annotations", Some(&json!({STORED: text})))]
    };
    Write::patch(seen, operations).labeled("status")
}

fn observed(id: &ObjectRef<Gvk>, plural: &str, metadata: &Value) -> ObservedObject {
    let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
    ObservedObject {
        target: at(id, plural),
        uid: text("uid"),
        version: text("resourceVersion"),
    }
}
