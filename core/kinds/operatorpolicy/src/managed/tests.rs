use portolan_core_olm::Subscription;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::tests::kit::{established, stage, subscription, typed};

fn entry(manager: &str, subresource: Option<&str>, fields: Value) -> Value {
    json!({
        "manager": manager,
        "operation": "Update",
        "subresource": subresource,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    })
}

fn managed(entries: &[Value]) -> ObjectMeta {
    let object = subscription(json!({"metadata": {"managedFields": entries}}));
    typed::<Subscription>(&object).metadata.clone()
}

/// Behavior 39.
#[test]
fn lists_field_managers_except_both_controllers() {
    let channel = || json!({"f:spec": {"f:channel": {}}});
    let metadata = managed(&[
        entry("kubectl", None, channel()),
        entry("argocd", None, channel()),
        entry("catalog", Some("status"), channel()),
        entry("config-policy-controller", None, channel()),
        entry("portolan", None, channel()),
        entry("helm", None, json!({"f:spec": {"f:source": {}}})),
    ]);
    assert_eq!(
        others(&metadata, &["spec", "channel"]),
        ["argocd", "kubectl"]
    );
}

#[rstest]
#[case::same_field(json!({"f:spec": {"f:config": {"f:env": {}}}}), true)]
#[case::subfield(json!({"f:spec": {"f:config": {"f:env": {"k:{}": {}}}}}), true)]
#[case::parent_field(json!({"f:spec": {"f:config": {}}}), true)]
#[case::sibling_field(json!({"f:spec": {"f:config": {"f:volumes": {}}}}), false)]
#[case::no_field(json!({}), false)]
fn field_belongs_to_its_writer(#[case] fields: Value, #[case] is_ours: bool) {
    let metadata = managed(&[entry("portolan", None, fields)]);
    assert_eq!(owns(&metadata, &["spec", "config", "env"]), is_ours);
}

fn related_status(uid: &str, is_created: bool) -> Value {
    json!({"relatedObjects": [{
        "object": {"apiVersion": "a/v1", "kind": "K", "metadata": {"name": "n"}},
        "properties": {"createdByPolicy": is_created, "uid": uid},
    }]})
}

fn annotated(uid: &str) -> Value {
    json!({"metadata": {"annotations": {CREATED_BY: uid}}})
}

#[rstest]
#[case::own_mark(annotated("policy-uid"), json!({}), true)]
#[case::mark_of_another_policy(annotated("other-uid"), json!({}), false)]
#[case::listed_in_the_status(json!({}), related_status("etcd-uid", true), true)]
#[case::listed_with_another_uid(json!({}), related_status("old-uid", true), false)]
#[case::not_listed_in_the_status(json!({}), related_status("etcd-uid", false), false)]
fn detects_objects_created_by_the_policy(
    #[case] other: Value,
    #[case] status: Value,
    #[case] is_so: bool,
) {
    let stage = stage(established(json!({}))).status(status);
    let object = typed::<Subscription>(&subscription(other));
    assert_eq!(stage.case(|case| is_created(case, &object.metadata)), is_so);
}
