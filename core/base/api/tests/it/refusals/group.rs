//! Tests of invalid OperatorGroups in policies.

use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use super::{LABEL, SUBDOMAIN};
use crate::policies::{design, established, refused, with};

#[rstest]
#[case::another_namespace(
    json!({"name": "a", "namespace": "elsewhere"}),
    "spec.operatorGroup.namespace is \"elsewhere\", but spec.subscription.namespace is \
     \"databases\"; write the namespace of the Subscription, or remove this field"
)]
#[case::a_misspelled_field(
    json!({"name": "a", "serviceAccountNames": "b"}),
    "spec.operatorGroup.serviceAccountNames is not a known field; did you mean \
     \"serviceAccountName\"?"
)]
#[case::a_list(json!([]), "spec.operatorGroup is a list, but must be an object")]
#[case::a_text_for_a_truth(
    json!({"name": "a", "staticProvidedAPIs": "yes"}),
    "spec.operatorGroup.staticProvidedAPIs is a text, but must be true or false"
)]
#[case::a_truth_for_a_text(
    json!({"name": "a", "serviceAccountName": true}),
    "spec.operatorGroup.serviceAccountName is true or false, but must be a text; put it in quotes"
)]
#[case::no_strategy(
    json!({"name": "a", "upgradeStrategy": "FailForward"}),
    "spec.operatorGroup.upgradeStrategy is \"FailForward\"; write Default or \
     TechPreviewUnsafeFailForward"
)]
#[case::a_field_of_no_selector(
    json!({"name": "a", "selector": {"matchLabel": {"a": "b"}, "matchLabels": {"a": "b"}}}),
    "spec.operatorGroup.selector.matchLabel is not a known field; did you mean \"matchLabels\"?"
)]
#[case::a_label_that_is_a_truth(
    json!({"name": "a", "selector": {"matchLabels": {"a": true, "b": "c"}}}),
    "spec.operatorGroup.selector.matchLabels.a is true or false, but must be a text; put it in \
     quotes"
)]
#[case::an_expression_without_a_key(
    json!({"name": "a", "selector": {"matchExpressions": [{"operator": "Exists"}]}}),
    "spec.operatorGroup.selector.matchExpressions[0].key is missing; write the key of a label"
)]
#[case::an_expression_without_an_operator(
    json!({"name": "a", "selector": {"matchExpressions": [{"key": "a"}]}}),
    "spec.operatorGroup.selector.matchExpressions[0].operator is missing; write In, NotIn, Exists \
     or DoesNotExist"
)]
#[case::an_operator_of_no_expression(
    json!({"name": "a", "selector": {"matchExpressions": [{"key": "a", "operator": "Gt"}]}}),
    "spec.operatorGroup.selector.matchExpressions[0].operator is \"Gt\"; write In, NotIn, Exists \
     or DoesNotExist"
)]
#[case::an_expression_without_values(
    json!({"name": "a", "selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}),
    "spec.operatorGroup.selector.matchExpressions[0].values is empty; In and NotIn require values"
)]
#[case::an_expression_with_values(
    json!({"name": "a", "selector": {"matchExpressions": [
        {"key": "a", "operator": "Exists", "values": ["b"]}
    ]}}),
    "spec.operatorGroup.selector.matchExpressions[0].values is not allowed; Exists and \
     DoesNotExist have no values"
)]
#[case::an_expression_that_is_nothing(
    json!({"name": "a", "selector": {"matchExpressions": [null], "matchLabels": {"a": "b"}}}),
    "spec.operatorGroup.selector.matchExpressions[0] is nothing, but must be an object"
)]
fn invalid_operator_group_is_rejected(#[case] group: Value, #[case] sentence: &str) {
    for policy in [design(), established()] {
        let json = with(policy, "/spec/operatorGroup", group.clone());
        assert_eq!(refused(json), [sentence]);
    }
}

#[rstest]
#[case::the_name("name", SUBDOMAIN, "an OperatorGroup")]
#[case::the_account("serviceAccountName", SUBDOMAIN, "a ServiceAccount")]
#[case::the_namespace("namespace", LABEL, "a namespace")]
fn invalid_name_in_an_operator_group_is_rejected(
    #[case] field: &str,
    #[case] way_out: &str,
    #[case] what: &str,
) {
    let json = with(established(), "/spec/operatorGroup/name", json!("a"));
    let json = with(json, "/spec/subscription/namespace", Value::Null);
    let json = with(json, &format!("/spec/operatorGroup/{field}"), json!("A"));
    let sentence =
        format!("spec.operatorGroup.{field} is \"A\", which cannot be {what}; {way_out}");
    assert_eq!(refused(json), [sentence]);
}

#[rstest]
#[case::of_the_established_form(established(), "targetNamespaces", json!({"name": "a"}))]
#[case::of_the_design_form(design(), "target.namespaces", json!({"target": {}}))]
fn invalid_field_of_an_operator_group_is_rejected(
    #[case] policy: Value,
    #[case] field: &str,
    #[case] group: Value,
) {
    let at = format!("/spec/operatorGroup/{}", field.replace('.', "/"));
    let json = with(
        with(policy, "/spec/operatorGroup", group),
        &at,
        json!(["a", "B"]),
    );
    let sentence =
        format!("spec.operatorGroup.{field}[1] is \"B\", which cannot be a namespace; {LABEL}");
    assert_eq!(refused(json), [sentence]);
}
