//! What could not be read here is let through. One test, in a program of its own: all of that has no room.

use portolan_core_admission::{Absent, Request, Response, review};
use portolan_kit::without_room;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

fn reviewed(spec: &Value) -> Response {
    let question = json!({"request": {
        "uid": "1", "operation": "CREATE", "name": "gold",
        "kind": {"group": "operators.operatorframework.io", "kind": "Policy"},
        "object": {"metadata": {"name": "gold"}, "spec": spec},
    }});
    let request = Request::parse(question.to_string().as_bytes()).expect("a request");
    review(&request, &Absent::default())
}

#[test]
fn a_rule_that_could_not_be_read_is_let_through_with_a_warning() {
    let spec = json!({"opaPolicy": "allow if {"});
    let answer = without_room(|| reviewed(&spec));
    assert_eq!(answer.refused, []);
    let answer = answer.to_json();
    let response = &answer["response"];
    assert_eq!(response["allowed"], true);
    let [warning] = &response["warnings"].as_array().expect("warnings")[..] else {
        panic!("one warning: {response:#}");
    };
    let warning = warning.as_str().expect("a text");
    let expected = "spec.opaPolicy cannot be read here, so that nobody knows whether it is a rule: no thread can \
                    be started for it: ";
    assert!(warning.starts_with(expected), "{warning}");
    assert!(
        warning.ends_with("; its conditions say whether it is one"),
        "{warning}"
    );
    assert!(
        !reviewed(&spec).is_allowed(),
        "there is room again, and it is wrong"
    );

    // What else is wrong with the Policy is refused all the same.
    let spec = json!({
        "opaPolicy": "allow := true", "schedule": [{"start": "61 0 * * 6", "end": "59 23 * * 0"}],
    });
    let answer = without_room(|| reviewed(&spec));
    let fields: Vec<_> = answer.refused.iter().map(|it| it.field.as_str()).collect();
    assert_eq!(fields, ["spec.schedule[0].start"]);
}
