use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use serde_json::{Value, json};

use super::Owner;
use crate::FieldRules;

const RULES: FieldRules = FieldRules {
    contested: &["OperatorGroup", "Subscription"],
    whole: &["config", "selector", "targetNamespaces"],
    predecessor: Some("config-policy-controller"),
};

const OWNER: Owner<'_> = Owner {
    manager: "portolan",
    rules: &RULES,
};

fn entry(manager: &str, operation: &str, fields: &Value) -> ManagedFieldsEntry {
    let entry = json!({
        "manager": manager,
        "operation": operation,
        "apiVersion": "operators.coreos.com/v1alpha1",
        "time": "2026-01-02T03:04:05Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    });
    serde_json::from_value(entry).expect("an entry")
}

fn of_status(mut entry: ManagedFieldsEntry) -> ManagedFieldsEntry {
    entry.subresource = Some("status".to_owned());
    entry
}

#[test]
fn fields_of_established_controller_are_taken_over() {
    let theirs = entry("config-policy-controller", "Update", &json!({"f:spec": {}}));
    let olm = entry("olm", "Update", &json!({"f:spec": {}}));
    let entries = [theirs.clone(), olm, of_status(theirs.clone()), theirs];
    let manager = "config-policy-controller";
    let expected = vec![
        json!({"op": "test", "path": "/metadata/managedFields/3/manager", "value": manager}),
        json!({"op": "remove", "path": "/metadata/managedFields/3"}),
        json!({"op": "test", "path": "/metadata/managedFields/0/manager", "value": manager}),
        json!({"op": "remove", "path": "/metadata/managedFields/0"}),
    ];
    assert_eq!(OWNER.take_over(&entries), Some(expected));
}

/// The process ended after the create and before the adoption.
#[test]
fn take_over_moves_fields_of_our_create_except_replaced_ones() {
    let ours = |fields: &Value| entry("portolan", "Update", fields);
    let applied = entry("portolan", "Apply", &json!({"f:spec": {"f:channel": {}}}));
    let whole = json!({"f:spec": {"f:config": {".": {}, "f:env": {}}}});
    let rest = json!({"f:spec": {"f:channel": {}, "f:config": {".": {}, "f:env": {}}}});
    let entries = [
        ours(&json!({"f:spec": {"f:upgradeStrategy": {}}})),
        applied,
        ours(&whole),
        ours(&rest),
    ];
    let expected = vec![
        json!({
            "op": "replace",
            "path": "/metadata/managedFields/3",
            "value": OWNER.with(&entries[3], "Update", whole),
        }),
        json!({"op": "test", "path": "/metadata/managedFields/0/manager", "value": "portolan"}),
        json!({"op": "remove", "path": "/metadata/managedFields/0"}),
    ];
    assert_eq!(OWNER.take_over(&entries), Some(expected));
}

#[test]
fn take_over_ignores_other_field_managers() {
    let status = entry(
        "config-policy-controller",
        "Update",
        &json!({"f:status": {}}),
    );
    let entries = [entry("olm", "Update", &json!({})), of_status(status)];
    assert_eq!(OWNER.take_over(&entries), None);
}

#[test]
fn adopt_moves_created_fields_except_replaced_ones_and_defaults() {
    let fields = json!({
        "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
        "f:spec": {
            ".": {},
            "f:channel": {},
            "f:config": {".": {}, "f:env": {}},
            "f:upgradeStrategy": {},
        },
    });
    let manifest = json!({
        "metadata": {"labels": {"a": ""}},
        "spec": {"channel": "stable", "config": {"env": []}},
    });
    let entries = [
        entry("olm", "Update", &json!({})),
        entry("portolan", "Update", &fields),
    ];
    let ours = |operation: &str, fields: Value| {
        json!({
            "manager": "portolan",
            "operation": operation,
            "apiVersion": "operators.coreos.com/v1alpha1",
            "time": "2026-01-02T03:04:05Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        })
    };
    let applied = json!({
        "f:metadata": {"f:labels": {"f:a": {}}},
        "f:spec": {"f:channel": {}},
    });
    let whole = json!({"f:spec": {"f:config": {".": {}, "f:env": {}}}});
    let expected = vec![
        json!({
            "op": "replace",
            "path": "/metadata/managedFields/1",
            "value": ours("Apply", applied),
        }),
        json!({
            "op": "add",
            "path": "/metadata/managedFields/-",
            "value": ours("Update", whole),
        }),
    ];
    assert_eq!(OWNER.adopt(&entries, &manifest), Some(expected));
}

/// An entry for the spec without fields would mean the ownership of the whole spec, including the
/// fields that the API server adds.
#[test]
fn adopt_applies_no_field_of_a_replaced_spec() {
    let fields = json!({
        "f:metadata": {"f:annotations": {"f:a": {}}},
        "f:spec": {".": {}, "f:targetNamespaces": {}, "f:upgradeStrategy": {}},
    });
    let manifest = json!({
        "metadata": {"annotations": {"a": ""}},
        "spec": {"targetNamespaces": ["harbor"]},
    });
    let entries = [entry("portolan", "Update", &fields)];
    let operations = OWNER
        .adopt(&entries, &manifest)
        .expect("something is adopted");
    let sets: Vec<_> = operations
        .iter()
        .map(|it| &it["value"]["fieldsV1"])
        .collect();
    let applied = json!({"f:metadata": {"f:annotations": {"f:a": {}}}});
    let whole = json!({"f:spec": {"f:targetNamespaces": {}}});
    assert_eq!(sets, [&applied, &whole]);
}
