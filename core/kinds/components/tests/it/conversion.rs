//! Tests of conversions from each version to the other and back.

use portolan_core_components::{Conversion, LARGEST, NotConverted, converted};
use proptest::collection::btree_map;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Map, Value, json};
use similar_asserts::assert_eq;

const V1: &str = "operators.coreos.com/v1";
const V2: &str = "operators.coreos.com/v2alpha1";
const STORED: &str = "operators.portolan.dev/v2alpha1";

/// Generates an arbitrary JSON value.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map("[a-z0-9]{1,4}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_map() -> impl Strategy<Value = Map<String, Value>> {
    btree_map("[a-z0-9]{1,4}", any_json(), 0..4).prop_map(|map| map.into_iter().collect())
}

fn any_metadata() -> impl Strategy<Value = Value> {
    let annotations = btree_map("[a-z.]{1,6}/[a-z]{1,4}", ".{0,6}", 1..4);
    (".{0,8}", proptest::option::of(annotations)).prop_map(|(name, annotations)| {
        let mut metadata = json!({"name": name, "uid": "7", "resourceVersion": "3"});
        if let Some(annotations) = annotations {
            metadata["annotations"] = json!(annotations);
        }
        metadata
    })
}

fn any_v2() -> impl Strategy<Value = Value> {
    let field = || proptest::option::of(any_map());
    (
        any_metadata(),
        field(),
        field(),
        proptest::option::of(any_map()),
    )
        .prop_map(|(metadata, spec, status, olm)| {
            let mut object = json!({"apiVersion": V2, "kind": "Operator", "metadata": metadata});
            if let Some(spec) = spec {
                object["spec"] = json!(spec);
            }
            let mut status = status.map(|mut status| {
                status.remove("v1");
                status
            });
            if let Some(olm) = olm {
                // An empty status next to the status of OLM means the same as no status.
                status
                    .get_or_insert_default()
                    .insert("v1".to_owned(), json!(olm));
            }
            if let Some(status) = status {
                object["status"] = json!(status);
            }
            object
        })
}

fn any_v1() -> impl Strategy<Value = Value> {
    (
        any_metadata(),
        proptest::option::of(any_map()),
        ".{0,20}",
        any::<bool>(),
    )
        .prop_map(|(mut metadata, status, garbage, has_garbage)| {
            if has_garbage {
                metadata["annotations"][STORED] = json!(garbage);
            }
            let mut object =
                json!({"apiVersion": V1, "kind": "Operator", "metadata": metadata, "spec": {}});
            if let Some(status) = status {
                object["status"] = json!(status);
            }
            object
        })
}

proptest! {
    #[test]
    fn v2alpha1_object_survives_a_round_trip(object in any_v2()) {
        let stored = converted(&object, V1).expect("a convertible object");
        prop_assert_eq!(converted(&stored, V2), Ok(object));
    }

    #[test]
    fn v1_object_survives_a_round_trip(object in any_v1()) {
        let shown = converted(&object, V2).expect("a convertible object");
        prop_assert_eq!(converted(&shown, V1), Ok(object));
    }

    /// OLM replaces its own status and keeps annotations, as every client does that updates an
    /// object.
    #[test]
    fn status_written_by_olm_keeps_our_status(object in any_v2(), olm in any_map()) {
        let mut stored = converted(&object, V1).expect("a convertible object");
        stored["status"] = json!(olm);
        let shown = converted(&stored, V2).expect("a convertible object");
        let without = |shown: &Value| {
            let mut shown = shown["status"].as_object().cloned().unwrap_or_default();
            shown.remove("v1");
            shown
        };
        prop_assert_eq!(&shown["spec"], &object["spec"]);
        prop_assert_eq!(without(&shown), without(&object));
        prop_assert_eq!(&shown["status"]["v1"], &json!(olm));
    }

    /// The API server rejects a conversion that changes other fields of the metadata.
    #[test]
    fn conversion_changes_only_annotations_in_metadata(object in any_v2()) {
        let mut stored = converted(&object, V1).expect("a convertible object");
        let mut before = object["metadata"].clone();
        before["annotations"] = Value::Null;
        stored["metadata"]["annotations"] = Value::Null;
        prop_assert_eq!(&stored["metadata"], &before);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Conversion::parse(&bytes).map(|question| question.answer().to_json());
    }
}

#[test]
fn v1_stores_the_spec_in_an_annotation() {
    let object = json!({
        "apiVersion": V2, "kind": "Operator", "metadata": {"name": "plumbus"},
        "spec": {"updates": {"type": "CatalogSource"}}, "status": {"v1": {"components": {}}},
    });
    let stored = json!({
        "apiVersion": V1, "kind": "Operator",
        "metadata": {
            "name": "plumbus",
            "annotations": {STORED: "{\"spec\":{\"updates\":{\"type\":\"CatalogSource\"}}}"},
        },
        "spec": {}, "status": {"components": {}},
    });
    assert_eq!(converted(&object, V1), Ok(stored));
}

#[test]
fn invalid_annotation_does_not_hide_the_object() {
    let broken = json!({
        "apiVersion": V1, "kind": "Operator",
        "metadata": {"name": "plumbus", "annotations": {STORED: "{"}}, "spec": {},
        "status": {"components": {}},
    });
    let shown = json!({
        "apiVersion": V2, "kind": "Operator",
        "metadata": {"name": "plumbus", "annotations": {STORED: "{"}},
        "status": {"v1": {"components": {}}},
    });
    assert_eq!(converted(&broken, V2), Ok(shown));
}

/// A conversion may set an annotation of any size, but the API server then rejects the next write
/// in v1.
#[test]
fn rejects_spec_too_large_for_an_annotation() {
    let spec = "x".repeat(LARGEST);
    let object = json!({
        "apiVersion": V2, "metadata": {"name": "plumbus"}, "spec": {"updates": spec},
    });
    let refused = converted(&object, V1).expect_err("a refusal");
    let NotConverted::Large { name, bytes } = refused else {
        panic!("{refused}");
    };
    assert_eq!((name.as_str(), bytes), ("plumbus", LARGEST + 23));
}

#[rstest]
#[case::another_group("operators.operatorframework.io/v1", V1)]
#[case::unsupported_target_version(V1, "operators.coreos.com/v3")]
#[case::empty_object("", "")]
fn rejects_unknown_versions(#[case] is: &str, #[case] wanted: &str) {
    let object = json!({"apiVersion": is, "metadata": {"name": "plumbus"}});
    let refused = converted(&object, wanted).expect_err("a refusal");
    let said = refused.to_string();
    assert!(
        said.starts_with("Operator plumbus has the apiVersion \""),
        "{said}"
    );
}

#[test]
fn one_unconvertible_object_fails_the_whole_review() {
    let question = json!({"request": {
        "uid": "7", "desiredAPIVersion": V1,
        "objects": [
            {"apiVersion": V2, "kind": "Operator", "metadata": {"name": "a"}},
            {"apiVersion": V2, "kind": "Operator", "metadata": {"name": "b"}, "spec": 1},
        ],
    }});
    let question = Conversion::parse(question.to_string().as_bytes()).expect("a question");
    let answer = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "response": {
            "uid": "7", "convertedObjects": [],
            "result": {
                "status": "Failure", "message": "spec and status of Operator b must be objects",
            },
        },
    });
    assert_eq!(question.answer().to_json(), answer);
}
