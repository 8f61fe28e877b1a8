//! The schemas of the statuses, for API servers and for `kubectl explain`. A test holds them against the
//! types.

use schemars::Schema;
use serde_json::{Value, json};

use crate::schema::{conditions, count, finished, list, object, text, time, with};

pub(super) fn policy() -> Schema {
    let window = object(
        "A window of time.",
        json!({
            "closes": time("When it closes; none if it does not."),
            "opens": time("When it opens, or has opened."),
        }),
    );
    finished(object(
        "What is known about the Policy.",
        json!({
            "bindings": list(
                "The PolicyBindings that refer to it.",
                text("The name of a PolicyBinding."),
            ),
            "conditions": conditions("Policy"),
            "observedGeneration": generation("Policy"),
            "windows": list(
                "The windows of its schedule that are open or come next.",
                with(window, "required", json!(["opens"])),
            ),
        }),
    ))
}

pub(super) fn binding() -> Schema {
    finished(object(
        "What is known about the PolicyBinding.",
        json!({
            "conditions": conditions("PolicyBinding"),
            "missing": list("What it names that is not there.", reference()),
            "observedGeneration": generation("PolicyBinding"),
            "operatorCount": count("How many operators it is about."),
            "operators": list("The first of these.", reference()),
        }),
    ))
}

fn generation(kind: &str) -> Value {
    json!({
        "description": format!("The generation of the {kind} that all this is about."),
        "type": "integer",
        "format": "int64",
    })
}

fn reference() -> Value {
    object(
        "An object.",
        json!({
            "kind": text("Its kind."),
            "name": text("Its name."),
            "namespace": text("Its namespace; none if it is in none."),
        }),
    )
}
