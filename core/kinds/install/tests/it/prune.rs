//! Tests which replaced plans are pruned.

use portolan_api::plan::InstallPlan;
use portolan_core_install::{Outdated, PastPlan, Prunable, outdated, prunable, referenced};
use portolan_core_olm::read_value;
use serde_json::{Value, json};

use crate::kit::with;

/// Returns a plan that was created at this second and refers to these Secrets.
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
fn oldest_outdated_plans_are_pruned_with_their_own_references() {
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
fn plan_that_may_still_be_needed_is_kept() {
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

/// The plans are sorted, with the newest first. A Secret is kept if a plan that is kept refers to
/// it.
#[test]
fn history_of_each_lineage_is_kept_with_its_references() {
    let secret = |name: &str| Prunable::Secret(name.to_owned());
    let past = |lineage, is_over, secrets: &[&str]| PastPlan {
        lineages: vec![lineage],
        is_over,
        beside: secrets.iter().map(|name| secret(name)).collect(),
    };
    let plans = [
        past("a", false, &["s4"]),
        past("a", true, &["s3", "all"]),
        past("b", true, &["s2b"]),
        past("a", true, &["s2", "all"]),
        past("a", true, &["s1", "all"]),
    ];
    let all = |plans: &[usize], secrets: &[&str]| Outdated {
        plans: plans.to_vec(),
        beside: secrets.iter().map(|name| secret(name)).collect(),
    };
    assert_eq!(outdated(&plans, 2), all(&[4], &["s1"]));
    assert_eq!(outdated(&plans, 1), all(&[3, 4], &["s1", "s2"]));
    let everything = ["s1", "s2", "s2b", "s3", "all"];
    assert_eq!(outdated(&plans, 0), all(&[1, 2, 3, 4], &everything));
    assert_eq!(outdated(&plans, usize::MAX), Outdated::default());
}

/// A pruned plan refers to a Secret of a user. The name of this Secret begins with the name of
/// another pruned plan.
#[test]
fn keeps_secret_of_a_user_with_the_name_prefix_of_another_plan() {
    let app = with(
        made("app-1", 1, "HandedOver", &["ferry-db", "app-a"]),
        "/metadata/labels",
        json!({"plans.portolan.dev/name": "app"}),
    );
    let app = with(app, "/status/lineage", json!("u-2"));
    let plans = [read(app), plan("ferry-1", 2, "HandedOver", &["ferry-a"])];
    let names = names(&plans, 0);
    assert!(names.contains(&"secrets/app-a".to_owned()), "{names:?}");
    assert!(names.contains(&"secrets/ferry-a".to_owned()), "{names:?}");
    assert!(!names.contains(&"secrets/ferry-db".to_owned()), "{names:?}");
}

#[test]
fn lists_secrets_and_resource_manifests_of_a_plan() {
    let mut object = made("ferry-1", 1, "HandedOver", &["ferry-a"]);
    let resources = object["spec"]["stages"][0]["resources"].as_array_mut();
    resources.expect("resources").extend([
        json!({"ref": {"name": "ferry-b"}}),
        json!({"manifest": {"apiVersion": "v1", "kind": "ConfigMap"}}),
    ]);
    let expected = [
        Prunable::ResourceManifest("ferry-b".to_owned()),
        Prunable::Secret("ferry-a".to_owned()),
    ];
    assert_eq!(referenced(&read(object)), expected.into());
}

/// A merged plan counts in the history of the plan that merged it. It is kept until enough newer
/// plans were replaced.
#[test]
fn history_limit_of_successors_includes_merged_plans() {
    let of = |name: &str, second: u32, lineage: &str| {
        let plan = made(name, second, "HandedOver", &[]);
        read(with(plan, "/status/lineage", json!(lineage)))
    };
    let merging = |name: &str, second: u32, reason: &str| {
        let plan = made(name, second, reason, &[]);
        let plan = with(plan, "/status/lineage", json!("u-c"));
        read(with(plan, "/status/mergedLineages", json!(["u-a", "u-b"])))
    };
    let mut plans = vec![
        of("ferry-a", 1, "u-a"),
        of("ferry-b", 2, "u-b"),
        merging("ferry-c", 3, "NotReplaced"),
    ];
    assert_eq!(names(&plans, 1), Vec::<String>::new());
    plans[2] = merging("ferry-c", 3, "HandedOver");
    plans.push(merging("ferry-d", 4, "NotReplaced"));
    let old = ["ferry-a", "ferry-b"].map(|name| format!("installplans.plans.portolan.dev/{name}"));
    assert_eq!(names(&plans, 1), old);
}
