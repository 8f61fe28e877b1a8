//! The schemas of the statuses, for API servers and for `kubectl explain`. A test holds them against the
//! types.

use schemars::Schema;
use serde_json::{Value, json};

use crate::schema::{conditions, count, finished, list, object, text, time, with};

pub(super) fn policy() -> Schema {
    let window = object(
        "A time window.",
        json!({
            "closes": time("The time when the window closes. Absent if no closing time is known."),
            "opens": time("The time when the window opens or opened."),
        }),
    );
    finished(object(
        "The observed state of the Policy.",
        json!({
            "bindings": list(
                "The PolicyBindings that refer to the Policy. At most 100 are listed.",
                text("The name of a PolicyBinding."),
            ),
            "conditions": conditions("Policy"),
            "observedGeneration": generation("Policy"),
            "windows": list(
                "The open window and the next windows of the schedule. At most 3 are listed.",
                with(window, "required", json!(["opens"])),
            ),
        }),
    ))
}

pub(super) fn binding() -> Schema {
    finished(object(
        "The observed state of the PolicyBinding.",
        json!({
            "conditions": conditions("PolicyBinding"),
            "missing": list("References to missing objects. At most 100 are listed.", reference()),
            "observedGeneration": generation("PolicyBinding"),
            "operatorCount": count(
                "The number of operators that the Policies apply to. Absent if the spec is invalid.",
            ),
            "operators": list(
                "The operators that the Policies apply to. At most 100 are listed.",
                reference(),
            ),
        }),
    ))
}

fn generation(kind: &str) -> Value {
    json!({
        "description": format!("The generation of the {kind} that the status describes."),
        "type": "integer",
        "format": "int64",
    })
}

fn reference() -> Value {
    object(
        "A reference to an object.",
        json!({
            "kind": text("The kind of the object."),
            "name": text("The name of the object."),
            "namespace": text("The namespace of the object. Absent for cluster-scoped objects."),
        }),
    )
}
