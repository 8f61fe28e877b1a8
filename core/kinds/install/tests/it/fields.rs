//! Tests of field ownership. The managed fields have the form in which an API server writes them.

use std::collections::BTreeMap;

use portolan_core_install::{Fields, Operation, OwnedField, Owner};
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Map, Value, json};

fn ours() -> Owner {
    Owner::applies("ours")
}

fn entry(manager: &str, operation: &str, fields: Value) -> Value {
    json!({"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsV1": fields})
}

fn fields(entries: Value) -> Fields {
    Fields::of(&json!({"metadata": {"managedFields": entries}}))
}

/// Returns the lost fields, each with its current owners.
fn lost(manifest: &Value, entries: Value) -> Vec<String> {
    let lost = fields(entries).lost(manifest, &ours());
    let told = lost.into_iter().map(|lost| {
        let owners: Vec<_> = lost.owners.into_iter().map(|owner| owner.manager).collect();
        match owners.as_slice() {
            [] => lost.field,
            owners => format!("{} to {}", lost.field, owners.join(", ")),
        }
    });
    told.collect()
}

fn manifest() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "a", "namespace": "b", "labels": {"a": "0", "x.y/z": "1"}, "finalizers": ["f/g"]},
        "spec": {
            "selector": {"app": "a"},
            "ports": [{"port": 80, "name": "web"}, {"port": 53, "protocol": "UDP"}],
            "args": ["one", "two"],
            "empty": {},
        },
    })
}

/// Returns the managed fields that an API server writes when the object is applied.
fn owned() -> Value {
    json!({
        "f:metadata": {"f:labels": {"f:a": {}, "f:x.y/z": {}}, "f:finalizers": {".": {}, "v:\"f/g\"": {}}},
        "f:spec": {
            "f:selector": {},
            "f:ports": {
                "k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:name": {}, "f:port": {}},
                "k:{\"port\":53,\"protocol\":\"UDP\"}": {".": {}, "f:port": {}, "f:protocol": {}},
            },
            "f:args": {},
            "f:empty": {},
        },
    })
}

/// Returns the fields of an owner without the fields at a pointer.
fn without(mut set: Value, pointer: &str) -> Value {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let parent = set.pointer_mut(parent).and_then(Value::as_object_mut);
    let key = key.replace("~1", "/");
    parent
        .expect("a set")
        .remove(&key)
        .unwrap_or_else(|| panic!("{key} must be there"));
    set
}

#[test]
fn applied_fields_are_owned() {
    assert_same!(
        lost(&manifest(), json!([entry("ours", "Apply", owned())])),
        Vec::<String>::new()
    );
}

#[rstest]
#[case::label("/f:metadata/f:labels/f:x.y~1z", ".metadata.labels.x.y/z")]
#[case::value_of_a_set("/f:metadata/f:finalizers/v:\"f~1g\"", ".metadata.finalizers")]
#[case::atomic_map("/f:spec/f:selector", ".spec.selector")]
#[case::atomic_list("/f:spec/f:args", ".spec.args")]
#[case::empty_map("/f:spec/f:empty", ".spec.empty")]
#[case::field_of_a_list_item(
    "/f:spec/f:ports/k:{\"port\":80,\"protocol\":\"TCP\"}/f:name",
    ".spec.ports[port=80,protocol=\"TCP\"].name"
)]
#[case::list_item(
    "/f:spec/f:ports/k:{\"port\":53,\"protocol\":\"UDP\"}",
    ".spec.ports[1]"
)]
#[case::whole_spec("/f:spec", ".spec")]
fn lost_field_is_reported(#[case] pointer: &str, #[case] field: &str) {
    let entries = json!([entry("ours", "Apply", without(owned(), pointer))]);
    assert_same!(lost(&manifest(), entries), [field]);
}

#[rstest]
#[case::same_field(
    json!({"f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {"f:name": {}}}}}),
    "/f:spec/f:ports/k:{\"port\":80,\"protocol\":\"TCP\"}/f:name",
    ".spec.ports[port=80,protocol=\"TCP\"].name to other"
)]
#[case::atomic_list(json!({"f:spec": {"f:args": {}}}), "/f:spec/f:args", ".spec.args to other")]
#[case::parent_field(json!({"f:spec": {}}), "/f:spec/f:selector", ".spec.selector to other")]
#[case::subfield(
    json!({"f:spec": {"f:selector": {"f:app": {}}}}),
    "/f:spec/f:selector",
    ".spec.selector.app to other"
)]
fn field_with_a_new_owner_is_reported(
    #[case] others: Value,
    #[case] pointer: &str,
    #[case] expected: &str,
) {
    let entries = json!([
        entry("ours", "Apply", without(owned(), pointer)),
        entry("other", "Update", others),
    ]);
    assert_same!(lost(&manifest(), entries), [expected]);
}

#[rstest]
#[case::update_with_our_name(
    entry("ours", "Update", owned()),
    ".metadata.finalizers[=\"f/g\"] to ours"
)]
#[case::apply_with_another_name(
    entry("other", "Apply", owned()),
    ".metadata.finalizers[=\"f/g\"] to other"
)]
#[case::apply_through_a_subresource(
    json!({"manager": "ours", "operation": "Apply", "subresource": "status", "fieldsV1": owned()}),
    ".metadata.finalizers[=\"f/g\"] to ours"
)]
fn only_apply_by_the_controller_makes_it_the_field_owner(
    #[case] entry: Value,
    #[case] first: &str,
) {
    assert_same!(lost(&manifest(), json!([entry]))[0], first);
}

#[test]
fn manager_that_wrote_two_versions_is_one_owner() {
    let spec = without(owned(), "/f:metadata");
    let metadata = without(owned(), "/f:spec");
    let entries = json!([
        entry("ours", "Apply", spec),
        entry("ours", "Apply", metadata)
    ]);
    assert_same!(lost(&manifest(), entries), Vec::<String>::new());
}

#[rstest]
#[case::empty_list(json!(null))]
#[case::missing_list(json!("a"))]
#[case::invalid_entries(json!([1, {"manager": 2, "fieldsV1": []}, {"manager": "ours"}]))]
fn object_without_managed_fields_has_lost_all_fields(#[case] entries: Value) {
    assert_same!(
        lost(&manifest(), entries),
        [".metadata.finalizers", ".metadata.labels", ".spec"]
    );
}

#[test]
fn null_field_of_a_manifest_is_never_lost() {
    let manifest = json!({"metadata": {"name": "a"}, "spec": {"a": null, "b": 1}});
    let entries = json!([entry("ours", "Apply", json!({"f:spec": {"f:b": {}}}))]);
    assert_same!(lost(&manifest, entries), Vec::<String>::new());
}

#[test]
fn finds_list_items_with_incomplete_key() {
    let key = |name: &str| format!("k:{{\"kind\":\"Ship\",\"name\":\"{name}\"}}");
    let manifest = json!({"spec": {"crew": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}});
    let set = json!({"f:spec": {"f:crew": {
        key("a"): {".": {}, "f:name": {}}, key("b"): {".": {}, "f:name": {}},
    }}});
    assert_same!(
        lost(&manifest, json!([entry("ours", "Apply", set)])),
        [".spec.crew[2]"]
    );
}

#[test]
fn other_owners_are_managers_that_may_conflict_with_an_apply() {
    let entries = json!([
        entry("ours", "Apply", owned()),
        entry("helm", "Apply", json!({"f:spec": {"f:args": {}, "f:unknown": {}}})),
        {"manager": "scaler", "operation": "Update", "subresource": "scale",
            "fieldsV1": {"f:spec": {"f:selector": {}, "f:args": {}}}},
    ]);
    let helm = Owner::applies("helm");
    let scaler = Owner {
        manager: "scaler".to_owned(),
        operation: Operation::Update,
        subresource: Some("scale".to_owned()),
    };
    let expected = BTreeMap::from([
        (helm, vec![".spec.args".to_owned()]),
        (
            scaler,
            vec![".spec.args".to_owned(), ".spec.selector".to_owned()],
        ),
    ]);
    let others = fields(entries).others(&manifest(), &ours());
    assert_same!(others, expected);
}

/// The object has the maximum number of list items and managers. A quadratic algorithm would need
/// minutes.
#[test]
fn reads_largest_lists_and_most_managers() {
    const ITEMS: usize = 30_000;
    let items: Vec<_> = (0..ITEMS)
        .map(|at| json!({"name": format!("i{at}"), "value": "v"}))
        .collect();
    let keys = (0..ITEMS).map(|at| {
        let key = format!("k:{{\"kind\":\"default\",\"name\":\"i{at}\"}}");
        (key, json!({".": {}, "f:name": {}, "f:value": {}}))
    });
    let set = json!({"f:spec": {"f:list": keys.collect::<Map<_, _>>()}});
    let mut entries: Vec<_> = (0..ITEMS)
        .map(|at| entry(&format!("m{at}"), "Apply", json!({"f:spec": {}})))
        .collect();
    entries.push(entry("ours", "Apply", set));
    let fields = fields(entries.into());
    let manifest = json!({"spec": {"list": items}});
    assert_eq!(fields.lost(&manifest, &ours()), []);
    let stranger = fields.lost(&manifest, &Owner::applies("stranger"));
    assert_eq!((stranger.len(), stranger[0].owners.len()), (2 * ITEMS, 10));
}

fn conflict(manager: &str, subresource: Option<&str>, field: &str) -> OwnedField {
    OwnedField {
        manager: manager.to_owned(),
        subresource: subresource.map(str::to_owned),
        field: field.to_owned(),
    }
}

/// Returns a `Status` with these causes, given as field and message.
fn refusal(causes: &[(&str, &str)]) -> Value {
    let causes = causes.iter().map(|(field, message)| {
        json!({"reason": "FieldManagerConflict", "field": field, "message": message})
    });
    json!({"code": 409, "reason": "Conflict", "details": {"causes": causes.collect::<Vec<_>>()}})
}

#[rstest]
#[case::one_conflict(
    refusal(&[(".spec.replicas", "conflict with \"helm\" using apps/v1")]),
    &[conflict("helm", None, ".spec.replicas")]
)]
#[case::conflict_with_an_update_and_its_time(
    refusal(&[(".spec.replicas", "conflict with \"kubectl edit\" with subresource \"scale\" using apps/v1 at 2026-01-01T00:00:00Z")]),
    &[conflict("kubectl edit", Some("scale"), ".spec.replicas")]
)]
#[case::several_conflicts(
    refusal(&[
        (".spec.x", "conflict with \"a \\\"b\\\": .c\""),
        (".spec.ports[port=80,protocol=\"TCP\"].name", "conflict with \"helm\" using v1"),
    ]),
    &[
        conflict("a \"b\": .c", None, ".spec.x"),
        conflict("helm", None, ".spec.ports[port=80,protocol=\"TCP\"].name"),
    ]
)]
#[case::name_with_go_escapes(
    refusal(&[(".spec", "conflict with \"a\\x01\"")]),
    &[conflict("a\\x01", None, ".spec")]
)]
#[case::message_in_an_unknown_format(
    refusal(&[(".spec", "helm has it")]),
    &[conflict("helm has it", None, ".spec")]
)]
#[case::another_cause(
    json!({"code": 409, "details": {"causes": [{"reason": "NamespaceTerminating", "field": "a", "message": "b"}]}}),
    &[]
)]
#[case::status_without_causes(
    json!({"code": 409, "message": "Apply failed with 1 conflict: conflict with \"helm\": .spec"}),
    &[]
)]
fn parses_conflicts_from_a_status(#[case] status: Value, #[case] expected: &[OwnedField]) {
    assert_same!(OwnedField::all(&status), expected);
}

/// Returns the fields that other managers added to the desired state of an object, each with its
/// owners.
fn foreign(object: &Value) -> Vec<String> {
    let foreign = Fields::of(object).foreign(object, |owner| owner.manager == "ours");
    let told = foreign.into_iter().map(|foreign| {
        let owners: Vec<_> = foreign
            .owners
            .iter()
            .map(|owner| owner.manager.as_str())
            .collect();
        format!(
            "{} at {} of {}",
            foreign.field,
            foreign.pointer,
            owners.join(", ")
        )
    });
    told.collect()
}

/// Returns an object with a list of containers. Our manager owns one of them.
fn sealed(added: Value) -> Value {
    json!({
        "metadata": {"managedFields": [
            entry("ours", "Apply", json!({"f:spec": {
                "f:containers": {"k:{\"name\":\"a\"}": {".": {}, "f:image": {}, "f:name": {}}},
                "f:labels": {".": {}, "f:a": {}},
                "f:whole": {},
            }})),
            entry("theirs", "Update", added),
        ]},
        "spec": {
            "containers": [
                {"name": "other", "image": "o"}, {"name": "a", "image": "i", "env": [{"name": "E"}]},
            ],
            "labels": {"a": "0", "b/c": "1"},
            "whole": {"x": 1},
            "paused": true,
            "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "defaulted": 7,
        },
    })
}

#[rstest]
#[case::field(json!({"f:spec": {"f:paused": {}}}), &[".spec.paused at /spec/paused of theirs"])]
#[case::list_item(
    json!({"f:spec": {"f:containers": {"k:{\"name\":\"other\"}": {".": {}, "f:image": {}, "f:name": {}}}}}),
    &[".spec.containers[name=\"other\"] at /spec/containers/0 of theirs"],
)]
#[case::subfield_of_our_list_item(
    json!({"f:spec": {"f:containers": {"k:{\"name\":\"a\"}": {"f:env": {
        ".": {}, "k:{\"name\":\"E\"}": {".": {}, "f:name": {}},
    }}}}}),
    &[".spec.containers[name=\"a\"].env at /spec/containers/1/env of theirs"],
)]
#[case::key_of_a_map(
    json!({"f:spec": {"f:labels": {"f:b/c": {}}}}),
    &[".spec.labels.b/c at /spec/labels/b~1c of theirs"],
)]
#[case::default_value(
    json!({"f:spec": {"f:strategy": {"f:rollingUpdate": {"f:maxSurge": {}}}}}),
    &[".spec.strategy.rollingUpdate.maxSurge at /spec/strategy/rollingUpdate/maxSurge of theirs"],
)]
#[case::jointly_owned_field(json!({"f:spec": {"f:labels": {"f:a": {}}}}), &[])]
#[case::field_that_we_own_completely(json!({"f:spec": {"f:whole": {"f:x": {}}}}), &[])]
#[case::missing_field(json!({"f:spec": {"f:gone": {}}}), &[])]
#[case::metadata_and_status(json!({"f:metadata": {"f:labels": {"f:x": {}}}, "f:status": {"f:y": {}}}), &[])]
#[case::ca_bundle(json!({"f:spec": {"f:caBundle": {}}}), &[])]
fn reports_largest_subtree_that_other_managers_own(#[case] added: Value, #[case] found: &[&str]) {
    assert_same!(foreign(&sealed(added)), found);
}
