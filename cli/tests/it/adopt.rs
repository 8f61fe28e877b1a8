//! Tests of `portolan adopt` with files. Without a cluster, the command changes nothing.

use std::fs;

use portolan_kit::{TempFolder, assert_same};
use serde_json::{Value, json};

use crate::program::{portolan, transcript};

/// An operator, ferry, and its Subscription. OLM has installed ferry for all namespaces.
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

/// Returns the output for a world in which the ClusterServiceVersion of OLM has this phase.
fn output(phase: &str, line: &str) -> String {
    let folder = TempFolder::empty();
    fs::write(folder.join("world.yaml"), FERRY.replace("PHASE", phase)).expect("a file");
    let mut command = portolan(&format!("adopt {line}"));
    transcript(command.arg("--world").arg(folder.as_ref()))
}

#[test]
fn dry_run_lists_objects_with_a_new_owner() {
    assert_same!(
        output("Succeeded", "ferry --dry-run"),
        "[stdout]
ferry 1.0.0
  delete  Subscription harbor/ferry
  delete  ClusterServiceVersion harbor/ferry.v1.0.0
  keep    all objects of the ClusterServiceVersion (a cluster is required to list them)
[exit 0]"
    );
}

#[test]
fn dry_run_prints_operators_as_json() {
    let printed = output("Succeeded", "--all --dry-run -o json");
    let json = printed
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

/// A version can be written in the same forms as for other commands.
#[test]
fn range_becomes_version_of_the_operator() {
    for words in ["ferry@<2.0.0", "ferry<2.0.0", "ferry --version <2.0.0"] {
        let printed = output("Succeeded", &format!("{words} --dry-run -o json"));
        assert!(printed.contains("\"version\": \"<2.0.0\""), "{printed}");
    }
    for (words, why) in [
        (
            "ferry@1.1.0",
            "ferry@1.1.0: 1.0.0 is installed; adopt ferry first, and then use `update ferry@1.1.0`",
        ),
        (
            "ferry@latest-patch",
            "ferry@latest-patch: spec.version of an Operator is a version or a range; ",
        ),
        (
            "ferry@1.0.0 --to operators.coreos.com",
            "ferry@1.0.0: --to operators.coreos.com does not accept a version; use ferry",
        ),
    ] {
        let printed = output("Succeeded", &format!("{words} --dry-run"));
        assert!(
            printed.starts_with(&format!("[stderr]\nerror: {why}")),
            "{printed}"
        );
        assert!(printed.ends_with("[exit 2]"), "{printed}");
    }
}

#[test]
fn rejects_csv_that_has_not_succeeded() {
    let printed = output("Installing", "ferry --dry-run");
    let why =
        "error: ferry: ClusterServiceVersion harbor/ferry.v1.0.0 is Installing, not Succeeded";
    assert!(printed.contains(why), "{printed}");
    assert!(printed.ends_with("[exit 1]"), "{printed}");
}

#[test]
fn rejects_package_that_olm_has_not_installed() {
    assert_same!(
        output("Succeeded", "tug --dry-run"),
        "[stderr]
error: OLM has not installed package tug in the selected namespaces; packages that OLM has installed: ferry
[exit 2]"
    );
}

#[test]
fn requires_dry_run_for_files() {
    assert_same!(
        output("Succeeded", "ferry"),
        "[stderr]
error: --world reads files, which adopt cannot change; use --dry-run to show the changes
[exit 2]"
    );
}

/// An empty result of `--all` is not an error.
#[test]
fn reports_that_olm_has_installed_nothing() {
    assert_same!(
        output("Succeeded", "--all -n pier --dry-run"),
        "[stderr]
No operators found that OLM has installed.
[exit 0]"
    );
}

#[test]
fn dry_run_prints_v2alpha1_operator_of_subscription() {
    let printed = output(
        "Succeeded",
        "ferry --to operators.coreos.com --dry-run -o json",
    );
    let json = printed
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
fn rejects_package_without_subscription() {
    assert_same!(
        output("Succeeded", "tug --to operators.coreos.com --dry-run"),
        "[stderr]
error: no Subscription for package tug found; packages with a Subscription: ferry
[exit 2]"
    );
}

#[test]
fn rejects_delete_subscription_for_operatorframework_group() {
    let printed = output(
        "Succeeded",
        "ferry --to operators.operatorframework.io --delete-subscription --dry-run",
    );
    assert!(
        printed.contains("error: --delete-subscription requires --to"),
        "{printed}"
    );
    assert!(printed.ends_with("[exit 2]"), "{printed}");
}

#[test]
fn explain_lists_obstacles_for_a_transition_to_olm_v1() {
    let folder = TempFolder::empty();
    fs::write(
        folder.join("world.yaml"),
        FERRY.replace("PHASE", "Succeeded"),
    )
    .expect("a file");
    let mut command = portolan("explain sub/ferry -n harbor");
    let printed = transcript(command.arg("--world").arg(folder.as_ref()));
    for line in [
        "subscription/ferry in harbor: No\n",
        "  Obstacle: InstallModeUnsupported - the bundle does not support the install mode \
         AllNamespaces, which OLM v1 requires\n",
        "  Obstacle: ConfigUnsupported - spec.config of the Subscription has no equivalent in OLM \
         v1, and without it the Pods would restart with other settings\n",
        "  Note: installPlanApproval is Manual: OLM v1 has no approvals, so request each version in \
         spec.source.catalog.version\n",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    assert!(printed.ends_with("[exit 1]"), "{printed}");
}
