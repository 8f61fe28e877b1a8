//! Tests of the plans of an Operator.

use portolan_core_operator::Step;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, wish};

#[test]
fn owned_objects_are_reported_with_the_command_that_takes_them_over() {
    let mut cluster = Cluster::with_ferry();
    let owned = json!({"type": "Applied", "status": "False", "reason": "FieldConflict",
        "message": "1 object: its fields belong to kubectl", "lastTransitionTime": "2026-01-01T00:00:00Z"});
    cluster.collisions.insert("ferry.v1.2.0".to_owned(), owned);
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False PlanInvalid: ferry.v1.2.0 cannot be applied: 1 object: its fields belong to \
         kubectl; to take over the objects with all their fields: kubectl -n portolan patch \
         installplans.plans.portolan.dev ferry-1 --type=merge -p \
         '{\"spec\":{\"collisions\":\"Adopt\"}}'"
    );
    let remedy = cluster.status("ferry").remedy.clone().expect("a remedy");
    assert!(
        remedy
            .command
            .ends_with("'{\"spec\":{\"collisions\":\"Adopt\"}}'")
    );
}

/// If the API server does not serve a kind, the plan reports this until the API server serves the
/// kind.
#[test]
fn kind_that_is_not_served_is_reported_until_it_is_served() {
    let mut cluster = Cluster::with_ferry();
    let unserved = json!({"type": "Valid", "status": "Unknown", "reason": "KindNotServed",
        "message": "Monitor harbor/a has the kind Monitor.watch.example, which the API server \
                    does not serve",
        "lastTransitionTime": "2026-01-01T00:00:00Z"});
    cluster.verdicts.insert("ferry.v1.2.0".to_owned(), unserved);
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False PlanInvalid: ferry.v1.2.0 cannot be applied: Monitor harbor/a has the kind \
         Monitor.watch.example, which the API server does not serve"
    );
    cluster.verdicts.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

/// The controller copies the deadline and the readiness rules of an Operator to its plans.
#[test]
fn deadline_and_readiness_rules_reach_the_plan() {
    let mut cluster = Cluster::with_ferry();
    let rule = json!({"kind": "Ship.ferry.example", "cel": "self.status.phase == 'Sailing'"});
    let mut spec = json!({
        "packageName": "ferry", "version": "1.2.0", "approval": "Manual",
        "progressDeadlineSeconds": 1200, "readiness": [rule],
    });
    cluster.put("ferry", spec.clone());
    cluster.settle();
    let stages = |cluster: &Cluster| {
        let stages = cluster.plans["ferry-1"]["spec"]["stages"].as_array();
        stages.expect("stages").clone()
    };
    for stage in stages(&cluster) {
        assert_eq!(stage["deadlineSeconds"], json!(1200));
        assert_eq!(stage.get("ready"), None, "no stage has a Ship");
    }
    // If the deadline changes, the controller creates a plan that has not begun again.
    spec["progressDeadlineSeconds"] = json!(60);
    cluster.put("ferry", spec);
    cluster.settle();
    for stage in stages(&cluster) {
        assert_eq!(stage["deadlineSeconds"], json!(60));
    }
}

/// Installs one version after another. Each version has its own Secret.
#[rstest]
#[case::default(json!(null), &["ferry-3", "ferry-4", "ferry-5"])]
#[case::two(json!(2), &["ferry-3", "ferry-4", "ferry-5"])]
#[case::one(json!(1), &["ferry-4", "ferry-5"])]
#[case::many(json!(9), &["ferry-1", "ferry-2", "ferry-3", "ferry-4", "ferry-5"])]
fn keeps_replaced_plans_up_to_the_limit_with_their_secrets(
    #[case] limit: Value,
    #[case] expected: &[&str],
) {
    let versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"];
    let mut cluster = Cluster::new();
    cluster
        .packages
        .insert("ferry".to_owned(), versions.to_vec());
    for version in versions {
        cluster.more = vec![json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "ferry", "name": "door"},
            "stringData": {"key": version},
        })];
        let mut spec = wish("ferry", version);
        spec["settleSeconds"] = json!(0);
        spec["revisionHistoryLimit"] = limit.clone();
        cluster.put("ferry", spec);
        cluster.settle();
        assert_eq!(cluster.installed("ferry"), Some(version));
    }
    let plans: Vec<_> = cluster.plans.keys().map(String::as_str).collect();
    assert_eq!(plans, expected);
    let secrets = cluster.beside.iter().filter(|(kind, _)| kind == "Secret");
    assert_eq!(secrets.count(), expected.len());
    let referenced = cluster.plans.values().flat_map(|plan| {
        let resources = plan.pointer("/spec/stages/1/resources");
        resources.and_then(Value::as_array).into_iter().flatten()
    });
    let referenced = referenced.filter_map(|resource| resource["ref"]["secret"].as_str());
    for name in referenced {
        let secret = ("Secret".to_owned(), name.to_owned());
        assert!(cluster.beside.contains(&secret), "{name} is there");
    }
}

#[test]
fn plan_without_permissions_is_not_started() {
    let mut cluster = Cluster::with_ferry();
    let missing = json!({
        "type": "Permitted", "status": "False", "reason": "PermissionMissing",
        "message": "it lacks pods", "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    cluster.verdicts.insert("ferry.v1.2.0".to_owned(), missing);
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False PermissionMissing: permissions to apply ferry.v1.2.0 are missing: it lacks pods"
    );
    cluster.verdicts.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

#[test]
fn plan_is_deleted_when_its_version_is_no_longer_wanted() {
    let mut cluster = Cluster::with_ferry();
    let spec =
        |version: &str| json!({"packageName": "ferry", "version": version, "approval": "Manual"});
    cluster.put("ferry", spec("1.0.0"));
    cluster.settle();
    cluster.take_written();
    cluster.put("ferry", spec("1.1.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), ["delete ferry-1", "make ferry-1"]);
    cluster.put("ferry", spec("9.0.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), ["delete ferry-1"]);
    assert_eq!(
        cluster.reported("ferry"),
        "False NoUpgradePath: no version is in the range"
    );
}

#[test]
fn two_plans_before_the_current_one_are_kept() {
    let mut cluster = Cluster::with_ferry();
    let versions = vec!["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"];
    cluster.packages.insert("ferry".to_owned(), versions);
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.4.0"));
    let plans: Vec<_> = cluster.plans.keys().collect();
    assert_eq!(plans, ["ferry-3", "ferry-4", "ferry-5"]);
}

#[test]
fn plans_of_operators_repair_drift_and_recreate_objects() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    let spec = &cluster.plans["ferry-1"]["spec"];
    assert_eq!(
        spec["lifecycle"],
        json!({"onPlanDeletion": "Delete", "onDrift": "Revert", "onDeletion": "Recreate"})
    );
    assert_eq!(spec["collisions"], json!("IfUnowned"));
    assert_eq!(spec["serviceAccountName"], json!("portolan-installer"));
}

/// A user who can create plans in another namespace must not affect the installed operators.
#[test]
fn plans_of_other_namespaces_are_ignored() {
    let mut cluster = Cluster::with_ferry_installed();
    let mut forged = cluster.plans["ferry-1"].clone();
    forged["metadata"]["namespace"] = json!("elsewhere");
    forged["metadata"]["name"] = json!("forged");
    let hop = forged["metadata"]["annotations"]["operators.portolan.dev/hop"].as_str();
    let hop = hop.expect("a hop").replace("1.0.0", "1.2.0");
    let hop = hop.replace(r#""number":1"#, r#""number":9"#);
    forged["metadata"]["annotations"]["operators.portolan.dev/hop"] = json!(hop);
    cluster.plans.insert("forged".to_owned(), forged);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    assert_eq!(cluster.take_written(), [""; 0]);
}

#[test]
fn csv_is_stored_beside_its_plan_and_named_in_the_status() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry", "version": "1.0.0"}));
    cluster.turn("ferry", 1);
    let decision = cluster.decide("ferry");
    let Some(Step::Create(objects)) = decision.steps.first() else {
        panic!("{decision:?}");
    };
    let [csv, plan] = &objects[..] else {
        panic!("{objects:?}");
    };
    let name = csv["metadata"]["name"].as_str().expect("a name");
    assert!(name.starts_with("ferry-"), "{name}");
    assert_eq!(csv["kind"], "ResourceManifest");
    assert_eq!(csv["metadata"]["namespace"], plan["metadata"]["namespace"]);
    assert_eq!(csv["metadata"]["ownerReferences"][0]["kind"], "Operator");
    let labels = json!({
        "operators.portolan.dev/content": "cluster-service-version",
        "operators.portolan.dev/operator": "ferry",
    });
    assert_eq!(csv["metadata"]["labels"], labels);
    let manifest = &csv["spec"]["manifest"];
    assert_eq!(manifest["metadata"]["name"], "ferry.v1.0.0");
    let stages = plan["spec"]["stages"].to_string();
    assert!(!stages.contains(name), "the plan does not install it");

    cluster.settle();
    let told = cluster.status("ferry").plan.as_ref();
    let told = told.and_then(|plan| plan.cluster_service_version.as_deref());
    assert_eq!(told, Some(name));
}
