//! `portolan adopt` on files, where nothing is changed.

use std::fs;

use portolan_kit::{TempFolder, assert_same};
use serde_json::{Value, json};

use crate::program::{portolan, transcript};

/// The ferry, which OLM runs for all namespaces, and its Subscription.
const FERRY: &str = r#"
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: group, namespace: harbor}
spec: {}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: ferry, namespace: harbor}
spec:
  name: ferry
  channel: stable
  source: demo
  sourceNamespace: olm
  installPlanApproval: Manual
  config: {env: [{name: DEBUG, value: "1"}]}
status: {currentCSV: ferry.v1.0.0, installedCSV: ferry.v1.0.0}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: ferry.v1.0.0
  namespace: harbor
  annotations:
    operatorframework.io/properties: '{"properties": [{"type": "olm.package", "value": {"packageName": "ferry", "version": "1.0.0"}}]}'
spec: {version: 1.0.0}
status: {phase: PHASE}
"#;

/// What the program says of a world in which OLM is so far with the ferry.
fn output(phase: &str, line: &str) -> String {
    let folder = TempFolder::empty();
    fs::write(folder.join("world.yaml"), FERRY.replace("PHASE", phase)).expect("a file");
    let mut command = portolan(&format!("adopt {line}"));
    transcript(command.arg("--world").arg(folder.as_ref()))
}

#[test]
fn what_changes_hands_is_told_first() {
    assert_same!(
        output("Succeeded", "ferry --dry-run"),
        "[stdout]
ferry 1.0.0
  goes   Subscription harbor/ferry
  goes   ClusterServiceVersion harbor/ferry.v1.0.0
  stays  all that it owns, which only a cluster can tell
[exit 0]"
    );
}

#[test]
fn the_operator_is_printed_for_a_repository() {
    let told = output("Succeeded", "--all --dry-run -o json");
    let json = told
        .trim_start_matches("[stdout]\n")
        .trim_end_matches("[exit 0]");
    let operators: Value = serde_json::from_str(json).expect("JSON");
    let wanted = json!([{
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": "ferry"},
        "spec": {
            "packageName": "ferry", "adopt": true, "namespace": "harbor", "version": ">=1.0.0",
            "channels": ["stable"], "approval": "Manual",
            "catalogSelector": {"matchLabels": {"olm.operatorframework.io/metadata.name": "demo"}},
            "config": {"env": [{"name": "DEBUG", "value": "1"}]},
        },
    }]);
    assert_eq!(operators, wanted);
}

#[test]
fn what_cannot_be_taken_over_is_told() {
    let told = output("Installing", "ferry --dry-run");
    let why =
        "error: ferry: ClusterServiceVersion harbor/ferry.v1.0.0 is Installing, not Succeeded";
    assert!(told.contains(why), "{told}");
    assert!(told.ends_with("[exit 1]"), "{told}");
}

#[test]
fn what_olm_has_not_installed_is_told() {
    assert_same!(
        output("Succeeded", "tug --dry-run"),
        "[stderr]
error: OLM has not installed tug here; it has installed ferry
[exit 2]"
    );
}

#[test]
fn files_are_not_changed() {
    assert_same!(
        output("Succeeded", "ferry"),
        "[stderr]
error: files are not changed: --dry-run says what would be done
[exit 2]"
    );
}

/// Nothing that is said to be done is not nothing that is there.
#[test]
fn where_olm_has_nothing_that_is_told() {
    assert_same!(
        output("Succeeded", "--all -n pier --dry-run"),
        "[stderr]
OLM has installed nothing here that could be taken over.
[exit 0]"
    );
}

#[test]
fn the_operator_v2alpha1_of_a_subscription_is_printed() {
    let told = output(
        "Succeeded",
        "ferry --to operators.coreos.com --dry-run -o json",
    );
    let json = told
        .trim_start_matches("[stdout]\n")
        .trim_end_matches("[exit 0]");
    let operators: Value = serde_json::from_str(json).expect("JSON");
    let wanted = json!([{
        "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Operator",
        "metadata": {"name": "ferry"},
        "spec": {"updates": {"type": "CatalogSource", "catalogSource": {
            "package": "ferry", "channel": "stable", "approval": "Manual",
            "ref": {"name": "demo", "namespace": "olm"},
        }}},
    }]);
    assert_eq!(operators, wanted);
}

#[test]
fn what_no_subscription_follows_is_told() {
    assert_same!(
        output("Succeeded", "tug --to operators.coreos.com --dry-run"),
        "[stderr]
error: no Subscription follows tug here; there is ferry
[exit 2]"
    );
}

#[test]
fn a_subscription_is_deleted_only_of_what_stays_with_olm() {
    let told = output(
        "Succeeded",
        "ferry --to operators.operatorframework.io --delete-subscription --dry-run",
    );
    assert!(
        told.contains("error: --delete-subscription goes with --to"),
        "{told}"
    );
    assert!(told.ends_with("[exit 2]"), "{told}");
}
