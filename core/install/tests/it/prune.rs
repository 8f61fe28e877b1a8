//! Plans that are over.

use portolan_api::plan::InstallPlan;
use portolan_core_install::{Prunable, prunable};
use portolan_core_olm::read_value;
use serde_json::{Value, json};

use crate::kit::with;

/// A plan of that second, which refers to these Secrets.
fn plan(name: &str, second: u32, reason: &str, secrets: &[&str]) -> InstallPlan {
    read(made(name, second, reason, secrets))
}

fn made(name: &str, second: u32, reason: &str, secrets: &[&str]) -> Value {
    let resources = secrets.iter().map(|name| json!({"ref": {"secret": name}}));
    json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {
            "name": name, "namespace": "harbor", "uid": format!("u-{name}"),
            "labels": {"plans.portolan.dev/name": "ferry"},
            "creationTimestamp": format!("2026-01-01T00:00:{second:02}Z"),
        },
        "spec": {
            "serviceAccountName": "installer",
            "stages": [{"name": "all", "resources": resources.collect::<Vec<_>>()}],
        },
        "status": {
            "lineage": "u-1",
            "conditions": [{
                "type": "Replaced", "status": "True", "reason": reason, "message": "",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }],
        },
    })
}

fn read(object: Value) -> InstallPlan {
    read_value(object).expect("a plan").0
}

fn names(plans: &[InstallPlan], keep: usize) -> Vec<String> {
    let plans: Vec<_> = plans.iter().collect();
    let pruned = prunable(&plans, keep);
    pruned
        .iter()
        .map(|it| format!("{}/{}", it.resource(), it.name()))
        .collect()
}

#[test]
fn oldest_plans_that_are_over_go_with_what_only_they_refer_to() {
    let plans = [
        plan(
            "ferry-1",
            1,
            "HandedOver",
            &["ferry-a", "ferry-b", "of-others"],
        ),
        plan("ferry-2", 2, "HandedOver", &["ferry-b", "ferry-c"]),
        plan("ferry-3", 3, "HandedOver", &["ferry-c"]),
        plan("ferry-4", 4, "NotReplaced", &["ferry-d"]),
    ];
    let first = ["installplans.plans.portolan.dev/ferry-1", "secrets/ferry-a"];
    assert_eq!(names(&plans, 2), first);
    let second = [
        "installplans.plans.portolan.dev/ferry-2",
        "installplans.plans.portolan.dev/ferry-1",
        "secrets/ferry-a",
        "secrets/ferry-b",
    ];
    assert_eq!(names(&plans, 1), second);
    assert_eq!(names(&plans, 3), Vec::<String>::new());
    assert_eq!(Prunable::Plan("a".to_owned()).name(), "a");
}

#[test]
fn plan_that_may_still_be_needed_stays() {
    let labels = |key: &str| json!({"plans.portolan.dev/name": "ferry", key: "ferry"});
    let over = made("ferry-3", 3, "HandedOver", &["ferry-a"]);
    let plans = [
        plan("ferry-1", 1, "HandingOver", &["ferry-a"]),
        read(with(
            over.clone(),
            "/metadata/labels",
            labels("operators.portolan.dev/operator"),
        )),
        read(with(
            over.clone(),
            "/metadata/labels",
            labels("operators.portolan.dev/install"),
        )),
        read(with(over.clone(), "/metadata/labels", json!({}))),
        read(with(
            over,
            "/metadata/deletionTimestamp",
            json!("2026-01-02T00:00:00Z"),
        )),
    ];
    assert_eq!(names(&plans, 0), Vec::<String>::new());
}
