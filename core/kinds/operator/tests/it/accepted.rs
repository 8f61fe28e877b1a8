//! Tests of unsafe CRD changes that users accept before the upgrade.

use portolan_api::operator::{ACCEPT_BREAKS, CrdChange};
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, definition, wish};

/// Returns a cluster in which version 1.1.0 lacks the field `b` and has a default for the field
/// `a`.
fn cluster() -> Cluster {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.there = vec![definition(&["a", "b"])];
    let mut new = definition(&["a"]);
    let schema = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/default";
    let (parent, field) = schema.rsplit_once('/').expect("a pointer");
    new.pointer_mut(parent).expect("a schema")[field] = json!("x");
    for version in ["1.1.0", "1.2.0"] {
        let bundle = format!("ferry.v{version}");
        cluster.definitions.insert(bundle, new.clone());
    }
    cluster
}

fn put(cluster: &mut Cluster, safety: Value) {
    let mut spec = wish("ferry", "1.1.0");
    spec["crdUpgradeSafety"] = safety;
    cluster.put("ferry", spec);
    cluster.settle();
}

fn checks(cluster: &Cluster) -> Vec<&str> {
    let changes = cluster.status("ferry").unsafe_changes.iter();
    changes.map(|change| change.check.as_str()).collect()
}

#[test]
fn status_names_crd_version_path_check_and_types() {
    let mut cluster = cluster();
    put(&mut cluster, json!({}));
    let change = |path: &str, check: &str, new_type: Option<&str>, message: &str| CrdChange {
        crd: "ships.ferry.example".to_owned(),
        version: "v1".to_owned(),
        path: path.to_owned(),
        check: check.to_owned(),
        old_type: Some("string".to_owned()),
        new_type: new_type.map(str::to_owned),
        message: message.to_owned(),
    };
    let expected = [
        change(".spec.a", "default", Some("string"), "none becomes \"x\""),
        change(".spec.b", "existingFieldRemoval", None, "the field is gone"),
    ];
    assert_eq!(cluster.status("ferry").unsafe_changes, expected);
    let said = cluster.reported("ferry");
    let expected = "ships.ferry.example: v1: .spec.a: default: none becomes \"x\" (type string); \
                    ships.ferry.example: v1: .spec.b: existingFieldRemoval: the field is gone \
                    (type string -> none); to accept this: kubectl";
    assert!(said.contains(expected), "{said}");
}

/// The name of a check accepts only the changes that this check finds.
#[test]
fn accepting_a_named_check_accepts_no_other_check() {
    let mut cluster = cluster();
    put(&mut cluster, json!({"acceptChecks": ["default"]}));
    assert_eq!(checks(&cluster), ["existingFieldRemoval"]);
    put(
        &mut cluster,
        json!({"acceptChecks": ["existingFieldRemoval"]}),
    );
    assert_eq!(checks(&cluster), ["default"]);
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    let both = ["existingFieldRemoval", "default"];
    put(&mut cluster, json!({"acceptChecks": both}));
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
    assert_eq!(checks(&cluster), [""; 0]);
}

/// A user applies an Operator from Git that already accepts the bundles.
#[test]
fn accepts_bundles_listed_before_the_operator_is_applied() {
    let mut cluster = cluster();
    put(&mut cluster, json!({"acceptBundles": ["ferry.v1.2.0"]}));
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    put(
        &mut cluster,
        json!({"acceptBundles": ["ferry.v1.2.0", "ferry.v1.1.0"]}),
    );
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));

    let mut cluster = self::cluster();
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.annotate("ferry", ACCEPT_BREAKS, "ferry.v1.2.0, ferry.v1.1.0");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

/// The annotation contains all accepted bundles as one list.
#[test]
fn accept_command_keeps_the_bundles_accepted_before() {
    let mut cluster = cluster();
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.annotate("ferry", ACCEPT_BREAKS, "ferry.v9.0.0, ferry.v1.0.0");
    cluster.settle();
    let said = cluster.reported("ferry");
    let list = "ferry.v1.0.0,ferry.v1.1.0,ferry.v9.0.0";
    let command = format!(
        "kubectl annotate --overwrite operators.operators.operatorframework.io ferry \
         operators.portolan.dev/accept-breaks={list}"
    );
    assert!(said.ends_with(&command), "{said}");
    cluster.annotate("ferry", ACCEPT_BREAKS, list);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

#[test]
fn list_too_long_for_a_command_must_be_edited_by_hand() {
    let mut cluster = cluster();
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.annotate("ferry", ACCEPT_BREAKS, &"a".repeat(5000));
    cluster.settle();
    let said = cluster.reported("ferry");
    let way =
        "to accept this, add ferry.v1.1.0 to the annotation operators.portolan.dev/accept-breaks";
    assert!(said.ends_with(way), "{said}");
}
