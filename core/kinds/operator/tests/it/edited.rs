//! Tests of plans whose mutable fields a user has changed.

use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, wish};

const RESTORED: &str = "restore the fields of ferry-1";

fn edit(cluster: &mut Cluster, plan: &str, pointer: &str, value: Value) {
    let spec = &mut cluster.plans.get_mut(plan).expect("a plan")["spec"];
    let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
    let parent = spec.pointer_mut(parent).expect("an object");
    parent[field] = value;
}

#[test]
fn edited_fields_of_the_current_plan_are_restored() {
    let edits = [
        ("/suspend", json!(true)),
        ("/lifecycle", json!({})),
        ("/lifecycle/onDrift", json!("Report")),
        ("/lifecycle/onDeletion", json!("Report")),
        ("/lifecycle/onFound", json!("Own")),
    ];
    for (pointer, value) in edits {
        let mut cluster = Cluster::with_ferry_installed();
        // The controller does not restore the field `onPlanDeletion` of a plan that is being
        // deleted.
        let mut spec = cluster.plans["ferry-1"]["spec"].clone();
        if pointer == "/lifecycle" {
            spec["lifecycle"]
                .as_object_mut()
                .expect("an object")
                .remove("onPlanDeletion");
        }
        edit(&mut cluster, "ferry-1", pointer, value);
        cluster.settle();
        assert_eq!(cluster.take_written(), [RESTORED], "{pointer}");
        assert_eq!(cluster.plans["ferry-1"]["spec"], spec, "{pointer}");
        assert_eq!(
            cluster.reported("ferry"),
            "False UpToDate: the operator has the desired version 1.0.0"
        );
    }
}

/// A user sets `collisions`, and `portolan release` sets `onPlanDeletion`.
#[test]
fn keeps_lifecycle_fields_that_users_set() {
    let mut cluster = Cluster::with_ferry_installed();
    edit(&mut cluster, "ferry-1", "/collisions", json!("Adopt"));
    let keep = ("/lifecycle/onPlanDeletion", json!("Keep"));
    edit(&mut cluster, "ferry-1", keep.0, keep.1);
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
}

#[test]
fn keeps_edited_plan_suspended_while_it_waits_for_approval() {
    let mut cluster = Cluster::with_ferry();
    let mut spec = wish("ferry", "1.0.0");
    spec["approval"] = json!("Manual");
    cluster.put("ferry", spec);
    cluster.settle();
    cluster.take_written();
    edit(
        &mut cluster,
        "ferry-1",
        "/lifecycle/onDrift",
        json!("Report"),
    );
    cluster.settle();
    assert_eq!(cluster.take_written(), [RESTORED]);
    let spec = &cluster.plans["ferry-1"]["spec"];
    assert_eq!(
        (&spec["suspend"], &spec["lifecycle"]["onDrift"]),
        (&json!(true), &json!("Revert"))
    );
}

/// The status is lost, and the plan of 1.1.0 is deleted. Therefore, no object shows that 1.1.0 is
/// installed.
#[test]
fn keeps_replaced_plan_suspended_if_the_status_is_lost() {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    cluster.put("ferry", wish("ferry", ""));
    cluster.settle();
    cluster.take_written();
    cluster.plans.remove("ferry-2");
    cluster.operators.get_mut("ferry").expect("it").status = None;
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(cluster.runs["ferry"], "1.1.0");
}
