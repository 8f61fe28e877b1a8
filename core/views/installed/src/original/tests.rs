use rstest::rstest;
use serde_json::json;

use super::*;

fn read(resource: Resource, object: Value) -> Original {
    Original::read(resource, &object.to_string()).expect("an original")
}

fn targets(spec: Value, status: Value) -> Targets {
    let group = json!({
        "metadata": {"name": "g", "namespace": "harbor"},
        "spec": spec,
        "status": {"namespaces": status},
    });
    let Original::Group(group) = read(Resource::OperatorGroups, group) else {
        panic!("a group");
    };
    group.targets.clone()
}

#[rstest]
#[case::all(json!({}), json!([""]), Targets::All)]
#[case::its_own(json!({"targetNamespaces": ["harbor"]}), json!(["harbor"]), Targets::named(["harbor"]))]
#[case::several(json!({}), json!(["a", "b"]), Targets::named(["a", "b"]))]
#[case::last_namespaces_written_by_olm(
    json!({"targetNamespaces": ["b"]}),
    json!(["a"]),
    Targets::named(["a"])
)]
#[case::all_namespaces_without_a_status_of_olm(json!({}), json!([]), Targets::All)]
#[case::named_namespaces_without_a_status_of_olm(json!({"targetNamespaces": ["a"]}), json!([]), Targets::named(["a"]))]
#[case::an_empty_name_in_a_spec(json!({"targetNamespaces": ["", "a"]}), json!([]), Targets::none())]
#[case::a_selector_of_everything(json!({"selector": {}}), json!([]), Targets::All)]
#[case::an_invalid_selector(
    json!({"selector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}}),
    json!([]),
    Targets::none()
)]
#[case::a_selector_of_no_values(
    json!({"selector": {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": []}]}}),
    json!([]),
    Targets::none()
)]
fn operator_group_has_the_targets_of_olm(
    #[case] spec: Value,
    #[case] status: Value,
    #[case] wanted: Targets,
) {
    assert_eq!(targets(spec, status), wanted);
}

#[test]
fn uses_selector_if_olm_has_not_written_the_namespaces() {
    let spec = json!({"selector": {"matchLabels": {"team": "harbor"}}});
    let selector = [("team", "harbor")]
        .into_iter()
        .collect::<kube_core::Selector>();
    assert_eq!(targets(spec, json!([])), Targets::Labeled(selector.into()));
}

#[rstest]
#[case::original(json!({}), json!({}), false)]
#[case::by_its_label(json!({"labels": {"olm.copiedFrom": "port"}}), json!({}), true)]
#[case::by_its_reason(json!({}), json!({"reason": "Copied"}), true)]
#[case::by_its_operator_namespace(
    json!({"annotations": {"olm.operatorNamespace": "port"}}),
    json!({}),
    true
)]
#[case::installed_here(json!({"annotations": {"olm.operatorNamespace": "harbor"}}), json!({}), false)]
fn distinguishes_copies_from_originals(
    #[case] mut metadata: Value,
    #[case] status: Value,
    #[case] is_copy: bool,
) {
    metadata["name"] = json!("ferry.v1.0.0");
    metadata["namespace"] = json!("harbor");
    let csv = json!({"metadata": metadata, "status": status});
    let original = read(Resource::ClusterServiceVersions, csv);
    assert_eq!(matches!(original, Original::Copy(_)), is_copy);
    assert_eq!(original.key(), Key::new("harbor", "ferry.v1.0.0"));
}

#[test]
fn full_and_limited_subscription_share_text_if_equal() {
    let subscription = |env: Value| {
        let object = json!({
            "metadata": {"name": "ferry", "namespace": "harbor"},
            "spec": {"config": {"env": env}},
        });
        let Original::Subscription(read) = read(Resource::Subscriptions, object) else {
            panic!("a Subscription");
        };
        read
    };
    let without = subscription(json!([{"name": "A"}]));
    assert!(Arc::ptr_eq(&without.body.0, &without.limited_body.0));
    let with = subscription(json!([{"name": "A", "value": "secret"}]));
    assert!(with.body.as_str().contains("secret"));
    assert!(!with.limited_body.as_str().contains("secret"));
}

#[rstest]
#[case::no_json("{", Unreadable::NoObject(
    "EOF while parsing an object at line 1 column 1".to_owned()
))]
#[case::no_object("[]", Unreadable::NoObject(
    "invalid type: sequence, expected a map at line 1 column 0".to_owned()
))]
#[case::no_namespace(r#"{"metadata": {"name": "a"}}"#, Unreadable::Unnamed("namespace"))]
#[case::no_name(
    r#"{"metadata": {"namespace": "a", "name": 1}}"#,
    Unreadable::Unnamed("name")
)]
fn reports_invalid_object(#[case] json: &str, #[case] wanted: Unreadable) {
    let read = Original::read(Resource::Subscriptions, json);
    assert_eq!(read, Err(wanted));
}
