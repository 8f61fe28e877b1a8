use rstest::rstest;
use serde_json::{Value, json};

use super::Schema;

/// Returns a CRD with this status schema, and with a second, older version.
fn crd(status: &Value) -> Value {
    let of = |name: &str, status: &Value| {
        let properties = json!({"spec": {}, "status": status});
        json!({"name": name, "schema": {"openAPIV3Schema": {"properties": properties}}})
    };
    json!({"spec": {"versions": [of("v1alpha1", &json!({})), of("v1beta1", status)]}})
}

#[rstest]
#[case::unknown_field_is_dropped(
    json!({"properties": {"compliant": {"type": "string"}}}),
    json!({"compliant": "Compliant", "upgrades": {"path": []}}),
    json!({"compliant": "Compliant"})
)]
#[case::inside_of_lists_and_maps(
    json!({"properties": {"list": {"items": {"properties": {"a": {"properties": {"b": {}}}}}}}}),
    json!({"list": [{"a": {"b": 1, "c": 2}, "d": 3}, "text"]}),
    json!({"list": [{"a": {"b": 1}}, "text"]})
)]
#[case::open_map_keeps_its_keys_and_prunes_its_values(
    json!({"properties": {"map": {"additionalProperties": {"properties": {"a": {}}}}}}),
    json!({"map": {"x": {"a": 1, "b": 2}}}),
    json!({"map": {"x": {"a": 1}}})
)]
#[case::map_of_any_values_keeps_everything(
    json!({"properties": {"map": {"additionalProperties": true}}}),
    json!({"map": {"x": {"a": 1}}}),
    json!({"map": {"x": {"a": 1}}})
)]
#[case::preserve_unknown_fields_still_prunes_known_fields(
    json!({
        "x-kubernetes-preserve-unknown-fields": true,
        "properties": {"known": {"properties": {"a": {}}}},
    }),
    json!({"known": {"a": 1, "b": 2}, "unknown": {"c": 3}}),
    json!({"known": {"a": 1}, "unknown": {"c": 3}})
)]
#[case::false_additional_properties_allow_no_keys(
    json!({"additionalProperties": false}), json!({"a": 1}), json!({})
)]
fn fields_outside_of_the_schema_are_removed(
    #[case] schema: Value,
    #[case] status: Value,
    #[case] expected: Value,
) {
    assert_eq!(Schema::of(&crd(&schema), "v1beta1").cut(status), expected);
}

#[rstest]
#[case::without_a_schema(json!({"spec": {"versions": [{"name": "v1beta1"}]}}))]
#[case::without_the_version(json!({"spec": {"versions": [{"name": "v1"}]}}))]
#[case::without_anything(json!({}))]
fn crd_without_a_schema_accepts_any_status(#[case] crd: Value) {
    assert_eq!(Schema::of(&crd, "v1beta1"), Schema::any());
    let status = json!({"a": {"b": [1]}});
    assert_eq!(Schema::any().cut(status.clone()), status);
}
