//! Tests of the roles and bindings that grant pending permissions to a ServiceAccount.

use portolan_api::installs::{AccountRef, Permission};
use portolan_core_grants::{SUBJECTS, account_name, bindings, given_by};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::stage::permission;

fn account() -> AccountRef {
    AccountRef {
        name: "plumbus-0a1b2c3d".to_owned(),
        namespace: "portolan".to_owned(),
    }
}

#[test]
fn creates_role_for_each_namespace_and_one_for_the_cluster() {
    let permissions = [
        permission("", "configmaps", &["get"], &["harbor", "quay"]),
        permission("", "namespaces", &["get"], &[]),
    ];
    let objects = bindings(("plumbus", "u"), &account(), &permissions);
    let owner = json!([{
        "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install", "name": "plumbus", "uid": "u",
    }]);
    let names = objects.iter().map(|it| {
        assert_eq!(it["metadata"]["ownerReferences"], owner);
        let place = it["metadata"]["namespace"].as_str().unwrap_or_default();
        format!("{} {place}", it["kind"].as_str().unwrap_or_default())
    });
    let expected = [
        "ClusterRole ",
        "ClusterRoleBinding ",
        "Role harbor",
        "RoleBinding harbor",
        "Role quay",
        "RoleBinding quay",
    ];
    assert_eq!(names.collect::<Vec<_>>(), expected);
    let [role, binding] = &objects[2..4] else {
        panic!("a role and its binding");
    };
    assert_eq!(
        role["rules"],
        json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}])
    );
    assert_eq!(binding["roleRef"]["name"], role["metadata"]["name"]);
    let subject = json!([{
        "kind": "ServiceAccount", "name": "plumbus-0a1b2c3d", "namespace": "portolan",
    }]);
    assert_eq!(binding["subjects"], subject);
}

#[test]
fn roles_with_different_rules_have_different_names() {
    let name = |verb: &str| {
        let permissions = [permission("", "configmaps", &[verb], &["harbor"])];
        bindings(("plumbus", "u"), &account(), &permissions)[0]["metadata"]["name"].clone()
    };
    assert_eq!(name("get"), name("get"));
    assert_ne!(name("get"), name("list"));
}

#[test]
fn account_name_is_unique_to_its_install() {
    assert_eq!(account_name("plumbus", "0a1b2c3d-11"), "plumbus-0a1b2c3d");
    assert_eq!(account_name("a.b", "0a1b2c3d-11"), "a-b-0a1b2c3d");
    let long = account_name(&"x".repeat(253), "0a1b2c3d-11");
    assert_eq!(long.len(), 49);
    assert_ne!(account_name("plumbus", "1"), account_name("plumbus", "2"));
}

fn passed_on() -> Permission {
    Permission {
        subjects: ["User ada".to_owned()].into(),
        ..permission("", "secrets", &["get"], &["harbor"])
    }
}

#[test]
fn permissions_are_read_back_from_the_bindings_of_an_approval() {
    let permissions = [
        permission("", "configmaps", &["get"], &["harbor"]),
        passed_on(),
    ];
    let objects = bindings(("plumbus", "u"), &account(), &permissions);
    let read = objects.chunks(2).flat_map(|pair| {
        let [role, binding] = pair else {
            panic!("a role and its binding");
        };
        given_by(("u", &account()), binding, role)
    });
    assert_eq!(read.collect::<Vec<_>>(), permissions);
}

#[rstest]
#[case::missing_annotation(1, "/metadata/annotations", json!({}))]
#[case::another_annotation(1, "/metadata/annotations", json!({SUBJECTS: "User eve"}))]
#[case::missing_label(1, "/metadata/labels", json!({}))]
#[case::role_without_its_label(0, "/metadata/labels", json!({}))]
#[case::binding_of_another_install(1, "/metadata/labels", json!({"operators.portolan.dev/install": "other"}))]
#[case::binding_of_another_account(1, "/subjects/0/name", json!("other"))]
#[case::binding_of_another_role(1, "/roleRef/kind", json!("ClusterRole"))]
#[case::role_without_rules(0, "/rules", json!([]))]
fn changed_binding_grants_nothing(#[case] at: usize, #[case] field: &str, #[case] value: Value) {
    let mut objects = bindings(("plumbus", "u"), &account(), &[passed_on()]);
    let given = |objects: &[Value]| given_by(("u", &account()), &objects[1], &objects[0]);
    assert_eq!(given(&objects), [passed_on()]);
    *objects[at].pointer_mut(field).expect("a field") = value;
    assert_eq!(given(&objects), []);
}
