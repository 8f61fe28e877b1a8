//! What gives an account the permissions that are pending.

use std::collections::BTreeSet;

use portolan_api::installs::AccountRef;
use portolan_core_grants::{account_name, bindings, permissions};
use portolan_core_install::{Grant, Rule};
use serde_json::json;
use similar_asserts::assert_eq;

use crate::stage::permission;

fn account() -> AccountRef {
    AccountRef {
        name: "plumbus-0a1b2c3d".to_owned(),
        namespace: "portolan".to_owned(),
    }
}

#[test]
fn a_role_for_each_namespace_and_one_for_the_cluster() {
    let permissions = [
        permission("", "configmaps", &["get"], &["harbor", "quay"]),
        permission("", "namespaces", &["get"], &[]),
    ];
    let objects = bindings(("plumbus", "u"), &account(), &permissions);
    let owner = json!([{
        "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install", "name": "plumbus", "uid": "u",
    }]);
    let told = objects.iter().map(|it| {
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
    assert_eq!(told.collect::<Vec<_>>(), expected);
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
fn other_rules_have_another_name() {
    let name = |verb: &str| {
        let permissions = [permission("", "configmaps", &[verb], &["harbor"])];
        bindings(("plumbus", "u"), &account(), &permissions)[0]["metadata"]["name"].clone()
    };
    assert_eq!(name("get"), name("get"));
    assert_ne!(name("get"), name("list"));
}

#[test]
fn the_same_rule_of_many_namespaces_is_told_once() {
    let set = |text: &str| BTreeSet::from([text.to_owned()]);
    let rule = Rule {
        api_groups: set(""),
        resources: set("pods"),
        verbs: set("get"),
        ..Rule::default()
    };
    let grants = [None, Some("harbor"), Some("quay")].map(|namespace| Grant {
        namespace: namespace.map(str::to_owned),
        rule: rule.clone(),
    });
    let expected = [
        permission("", "pods", &["get"], &[]),
        permission("", "pods", &["get"], &["harbor", "quay"]),
    ];
    assert_eq!(permissions(&grants), expected);
}

#[test]
fn an_account_is_named_after_one_install_alone() {
    assert_eq!(account_name("plumbus", "0a1b2c3d-11"), "plumbus-0a1b2c3d");
    assert_eq!(account_name("a.b", "0a1b2c3d-11"), "a-b-0a1b2c3d");
    let long = account_name(&"x".repeat(253), "0a1b2c3d-11");
    assert_eq!(long.len(), 49);
    assert_ne!(account_name("plumbus", "1"), account_name("plumbus", "2"));
}
