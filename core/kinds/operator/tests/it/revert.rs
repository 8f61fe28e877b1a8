//! Tests of versions that never become ready, and of the revert to the previous version.

use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, definition};

fn reverting(version: &str) -> Value {
    json!({
        "packageName": "ferry", "version": version, "settleSeconds": 0, "onFailure": "Revert",
    })
}

/// Returns a cluster in which 1.0.0 is installed and the installation of 1.1.0 never completes.
fn stuck() -> Cluster {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", reverting("1.0.0"));
    cluster.settle();
    cluster.take_written();
    cluster.stuck.insert("ferry.v1.1.0".to_owned());
    cluster
}

#[test]
fn failed_version_is_kept_by_default() {
    let mut cluster = stuck();
    let spec = json!({"packageName": "ferry", "version": "1.1.0", "settleSeconds": 0});
    cluster.put("ferry", spec);
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2", "let ferry-2 go"]);
    assert_eq!(
        cluster.reported("ferry"),
        "False InstallFailed: the installation of ferry.v1.1.0 fails: StageDeadlineExceeded of \
         ferry-2"
    );
}

#[test]
fn failed_version_is_reverted_once() {
    let mut cluster = stuck();
    cluster.put("ferry", reverting("1.1.0"));
    cluster.settle();
    assert_eq!(
        cluster.take_written(),
        ["make ferry-2", "let ferry-2 go", "delete ferry-2"]
    );
    assert_eq!(
        cluster.reported("ferry"),
        "False Reverted: the installation of ferry.v1.1.0 failed and was reverted: \
         StageDeadlineExceeded of ferry-2; the installation is retried when the Operator or the \
         bundle changes"
    );
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    let reverted = cluster.status("ferry").reverted.clone().expect("it");
    assert_eq!(
        (&*reverted.bundle, reverted.generation),
        ("ferry.v1.1.0", 2)
    );
    cluster.wait(10_000);
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
}

#[test]
fn reverted_version_is_retried_when_the_operator_changes() {
    let mut cluster = stuck();
    cluster.put("ferry", reverting("1.1.0"));
    cluster.settle();
    cluster.take_written();
    cluster.stuck.clear();
    cluster.put("ferry", reverting(">=1.1.0 <1.2.0"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
    assert_eq!(cluster.status("ferry").reverted, None);
}

#[test]
fn reverted_version_is_retried_when_the_bundle_changes() {
    let mut cluster = stuck();
    cluster.put("ferry", reverting("1.1.0"));
    cluster.settle();
    cluster.stuck.clear();
    cluster.digests.insert("ferry.v1.1.0".to_owned(), "1");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

#[test]
fn revert_has_same_result_after_a_kill_at_any_write() {
    let mut whole = stuck();
    whole.put("ferry", reverting("1.1.0"));
    whole.settle();
    for most in 1..6 {
        let mut cluster = stuck();
        cluster.put("ferry", reverting("1.1.0"));
        for _ in 0..most {
            cluster.carry_out();
            cluster.turn("ferry", 1);
        }
        cluster.settle();
        assert_eq!(cluster.reported("ferry"), whole.reported("ferry"));
        assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    }
}

#[test]
fn version_is_not_reverted_if_objects_may_lose_data() {
    let mut cluster = stuck();
    let mut spec = reverting("1.1.0");
    // The Operator accepts these changes only for upgrades, not for a revert.
    spec["crdUpgradeSafety"] = json!({"acceptChecks": ["existingFieldRemoval"]});
    for (bundle, fields) in [("ferry.v1.0.0", &["a"][..]), ("ferry.v1.1.0", &["a", "b"])] {
        cluster
            .definitions
            .insert(bundle.to_owned(), definition(fields));
    }
    let lost = "ships.ferry.example: v1: .spec.b: existingFieldRemoval: the field is gone (type string -> none)";
    cluster.put("ferry", spec);
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        format!(
            "False InstallFailed: the installation of ferry.v1.1.0 fails: StageDeadlineExceeded \
             of ferry-2; the version is not reverted: custom resources may lose data: {lost}"
        )
    );
    assert_eq!(cluster.take_written(), ["make ferry-2", "let ferry-2 go"]);
}

#[test]
fn first_version_has_no_version_to_revert_to() {
    let mut cluster = Cluster::with_ferry();
    cluster.stuck.insert("ferry.v1.0.0".to_owned());
    cluster.put("ferry", reverting("1.0.0"));
    cluster.settle();
    let said = cluster.reported("ferry");
    assert!(
        said.ends_with("the version is not reverted: no earlier version exists"),
        "{said}"
    );
}

/// A version that was ready once works. A later problem is no reason for a revert.
#[test]
fn version_that_was_ready_is_not_reverted() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", reverting("1.0.0"));
    cluster.settle();
    cluster.put("ferry", reverting("1.1.0"));
    cluster.settle();
    cluster.take_written();
    let plan = cluster.plans.get_mut("ferry-1").expect("a plan");
    let replaced = json!({"type": "Replaced", "status": "True", "reason": "HandedOver",
        "message": "", "lastTransitionTime": "1970-01-01T00:00:00Z"});
    plan["status"]["conditions"]
        .as_array_mut()
        .expect("conditions")
        .push(replaced);
    cluster.stuck.insert("ferry.v1.1.0".to_owned());
    cluster.keeps_replaced = true;
    cluster.settle();
    let said = cluster.reported("ferry");
    assert!(
        said.contains("the version is not reverted: the failed version was ready before"),
        "{said}"
    );
    assert_eq!(cluster.take_written(), [""; 0]);
}

#[test]
fn version_required_by_another_operator_is_not_reverted() {
    let mut cluster = stuck();
    cluster.packages.insert("rope".to_owned(), vec!["1.0.0"]);
    let needed = ("ferry".to_owned(), ">=1.1.0".to_owned());
    cluster.requires.insert("rope.v1.0.0".to_owned(), needed);
    cluster.put("rope", crate::cluster::wish("rope", "1.0.0"));
    cluster.settle();
    cluster.put("ferry", reverting("1.1.0"));
    cluster.settle();
    let said = cluster.reported("ferry");
    assert!(
        said.ends_with("the version is not reverted: rope would lose a dependency"),
        "{said}"
    );
}

/// The stage of the plan would wait longer than the progress deadline of the Deployment.
#[test]
fn failed_deployment_is_not_awaited() {
    let mut cluster = stuck();
    cluster.stuck.clear();
    cluster.failing.insert("ferry.v1.1.0".to_owned());
    cluster.put("ferry", reverting("1.1.0"));
    cluster.settle();
    assert_eq!(
        cluster.take_written().last().map(String::as_str),
        Some("delete ferry-2")
    );
    let said = cluster.reported("ferry");
    let why = "failed and was reverted: Deployment.apps harbor/ferry has exceeded the progress \
               deadline of its rollout; ";
    assert!(said.contains(why), "{said}");
}

#[test]
fn version_is_reverted_when_the_user_requests_it_later() {
    let mut cluster = stuck();
    let mut spec = reverting("1.1.0");
    spec["onFailure"] = json!("Stay");
    cluster.put("ferry", spec);
    cluster.settle();
    cluster.take_written();
    cluster.put("ferry", reverting("1.1.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), ["delete ferry-2"]);
    assert!(cluster.reported("ferry").starts_with("False Reverted: "));
}

/// A version is kept if another operator requires it, even if the other operator is still being
/// installed.
#[test]
fn version_required_by_a_pending_installation_is_kept() {
    let mut cluster = stuck();
    cluster.packages.insert("rope".to_owned(), vec!["1.0.0"]);
    let needs = ("ferry".to_owned(), ">=1.1.0".to_owned());
    cluster.requires.insert("rope.v1.0.0".to_owned(), needs);
    cluster.stuck.insert("rope.v1.0.0".to_owned());
    cluster.put("rope", json!({"packageName": "rope"}));
    cluster.settle();
    cluster.put("ferry", reverting("1.1.0"));
    cluster.settle();
    assert!(
        cluster
            .reported("ferry")
            .ends_with("the version is not reverted: rope would lose a dependency"),
        "{}",
        cluster.reported("ferry")
    );
}
