use rstest::rstest;
use serde_json::{Value, json};

use super::*;

const HOW: How<'_> = How {
    manager: "portolan",
    is_dry_run: false,
    is_strict: false,
};

const FINALIZER: &str = "portolan.dev/removal";

fn ferry() -> ObservedObject {
    ObservedObject {
        target: ResourceRef::new("demo.example/v1", "Ferry", "harbor", "hull"),
        uid: "u-1".to_owned(),
        version: "7".to_owned(),
    }
}

fn manifest() -> Value {
    json!({
        "apiVersion": "demo.example/v1",
        "kind": "Ferry",
        "metadata": {"name": "hull", "namespace": "harbor"},
        "spec": {"seats": 2},
    })
}

/// Returns a request as one line, and its body.
fn sent(write: &Write, how: &How<'_>) -> (String, Value) {
    let request = write.request(how).expect("a request");
    let line = format!("{} {}", request.method(), request.uri());
    (
        line,
        serde_json::from_slice(request.body()).expect("a body"),
    )
}

const FERRIES: &str = "/apis/demo.example/v1/namespaces/harbor/ferries";

#[rstest]
#[case::a_create(
    Write::create(manifest()).expect("a write"),
    format!("POST {FERRIES}?&fieldManager=portolan"),
    manifest()
)]
#[case::a_create_by_apply(
    Write::create_by_apply(manifest()).expect("a write"),
    format!("PATCH {FERRIES}/hull?&fieldManager=portolan"),
    {
        let mut manifest = manifest();
        manifest["metadata"]["resourceVersion"] = json!("1");
        manifest
    }
)]
#[case::a_field(
    Write::field(ferry(), "/spec/seats", Some(json!(3))),
    format!("PATCH {FERRIES}/hull?&fieldManager=portolan"),
    json!([
        {"op": "test", "path": "/metadata/uid", "value": "u-1"},
        {"op": "test", "path": "/metadata/resourceVersion", "value": "7"},
        {"op": "add", "path": "/spec/seats", "value": 3},
    ])
)]
#[case::a_status(
    Write::status(ferry(), json!({"ready": true})),
    format!("PUT {FERRIES}/hull/status?&fieldManager=portolan"),
    json!({
        "apiVersion": "demo.example/v1",
        "kind": "Ferry",
        "metadata": {
            "name": "hull", "namespace": "harbor", "uid": "u-1", "resourceVersion": "7",
        },
        "status": {"ready": true},
    })
)]
#[case::a_deletion(
    Write::delete(ferry(), Propagation::Orphan),
    format!("DELETE {FERRIES}/hull?"),
    json!({"propagationPolicy": "Orphan", "preconditions": {"uid": "u-1"}})
)]
fn write_becomes_a_request(#[case] write: Write, #[case] line: String, #[case] body: Value) {
    assert_eq!(sent(&write, &HOW), (line, body));
}

#[test]
fn apply_contains_the_currently_expected_version() {
    let mut seen = manifest();
    seen["metadata"]["uid"] = json!("u-1");
    seen["metadata"]["resourceVersion"] = json!("7");
    let mut write = Write::apply(seen).expect("a write");
    assert_eq!(write.version(), Some("7"));
    let uid = "u-1".to_owned();
    let version = "8".to_owned();
    write.expects = Expects::Seen { uid, version };
    let (line, body) = sent(&write, &HOW);
    assert_eq!(
        (line, &body["metadata"]["resourceVersion"]),
        (
            format!("PATCH {FERRIES}/hull?&force=true&fieldManager=portolan"),
            &json!("8")
        )
    );
}

#[test]
fn unforced_apply_omits_the_force_parameter() {
    let write = Write::apply(manifest()).expect("a write").unforced();
    let (line, body) = sent(&write, &HOW);
    let path = format!("PATCH {FERRIES}/hull?&fieldManager=portolan");
    assert_eq!((line, body), (path, manifest()));
}

#[rstest]
#[case::a_create(Write::create(manifest()).expect("a write"), true)]
#[case::an_apply(Write::apply(manifest()).expect("a write"), true)]
#[case::a_status(Write::status(ferry(), json!({})), true)]
#[case::a_field(Write::field(ferry(), "/spec/seats", None), true)]
#[case::but_no_deletion(Write::delete(ferry(), Propagation::Background), false)]
fn strict_request_has_its_field_validation(#[case] write: Write, #[case] is_strict: bool) {
    let how = How {
        is_strict: true,
        ..HOW
    };
    let (line, _) = sent(&write, &how);
    assert_eq!(
        line.ends_with("fieldManager=portolan&fieldValidation=Strict"),
        is_strict,
        "{line}"
    );
}

#[test]
fn dry_run_is_set_in_each_request() {
    let how = How {
        is_dry_run: true,
        ..HOW
    };
    let (line, _) = sent(&Write::create(manifest()).expect("a write"), &how);
    assert!(line.contains("dryRun=All"), "{line}");
    let (_, body) = sent(&Write::delete(ferry(), Propagation::Background), &how);
    assert_eq!(body["dryRun"], json!(["All"]));
}

#[test]
fn write_uses_the_given_irregular_plural() {
    let mut write = Write::field(ferry(), "/spec/seats", None);
    write.target.plural = Some("ferrys".to_owned());
    let (line, _) = sent(&write, &HOW);
    assert!(line.contains("/ferrys/hull"), "{line}");
}

#[test]
fn manifest_without_a_name_is_rejected() {
    let refused = Write::create(json!({"kind": "Ferry"})).expect_err("a refusal");
    let why = r#"a manifest has no name: {"kind":"Ferry"}"#.to_owned();
    assert_eq!(refused, WriteFailure::Refused(why));
}

fn operations(write: Option<Write>) -> Option<Vec<Value>> {
    match write?.body {
        Body::Patch(operations) => Some(operations),
        other => panic!("{other:?} is no patch"),
    }
}

#[rstest]
#[case::empty_list(
    &[], Some(vec![set("/metadata/finalizers", Some(&json!([FINALIZER])))])
)]
#[case::after_other_finalizers(
    &["a/b"], Some(vec![set("/metadata/finalizers/-", Some(&json!(FINALIZER)))])
)]
#[case::once(&["a/b", FINALIZER], None)]
fn adds_a_finalizer(#[case] there: &[&str], #[case] expected: Option<Vec<Value>>) {
    let there: Vec<_> = there.iter().map(|each| (*each).to_owned()).collect();
    let write = Write::add_finalizer(ferry(), &there, FINALIZER);
    assert_eq!(operations(write), expected);
}

#[rstest]
#[case::finalizer_is_missing(&["a/b"], None)]
#[case::other_finalizers_are_kept(
    &["a/b", FINALIZER, "c/d"],
    Some(vec![
        json!({"op": "test", "path": "/metadata/finalizers/1", "value": FINALIZER}),
        set("/metadata/finalizers/1", None),
    ])
)]
fn removes_a_finalizer(#[case] there: &[&str], #[case] expected: Option<Vec<Value>>) {
    let there: Vec<_> = there.iter().map(|each| (*each).to_owned()).collect();
    let write = Write::remove_finalizer(ferry(), &there, FINALIZER);
    assert_eq!(operations(write), expected);
}
