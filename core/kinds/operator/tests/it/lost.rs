//! Tests of plans that are deleted while their Operator exists. The installed version does not
//! change.

use std::collections::BTreeMap;

use portolan_api::operator::{ACCEPT_BREAKS, APPROVE, ConditionType};
use portolan_core_names::Version;
use portolan_core_operator::Step;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, definition, wish};
use crate::touched::Numbers;

/// Returns a cluster in which the operator was upgraded from 1.0.0 to 1.1.0.
fn upgraded() -> Cluster {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    cluster.take_written();
    cluster
}

#[rstest]
#[case::version_is_pinned(json!("1.1.0"))]
#[case::operator_is_frozen(json!(""))]
fn deleted_plan_is_made_again_in_the_same_version(#[case] version: Value) {
    let mut cluster = upgraded();
    cluster.put(
        "ferry",
        json!({"packageName": "ferry", "version": version, "settleSeconds": 0}),
    );
    cluster.settle();
    let before = cluster.reported("ferry");
    cluster.delete_plan("ferry-2");
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2", "let ferry-2 go"]);
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
    assert_eq!(cluster.runs["ferry"], "1.1.0");
    assert_eq!(cluster.reported("ferry"), before);
}

/// The Operator has only one plan, and its version range allows newer versions.
#[test]
fn deleted_only_plan_does_not_skip_the_settle_time() {
    let mut cluster = Cluster::with_ferry();
    let spec = |version| json!({"packageName": "ferry", "version": version, "settleSeconds": 3600});
    cluster.put("ferry", spec("1.0.0"));
    cluster.settle();
    cluster.put("ferry", spec(">=1.0.0"));
    cluster.settle();
    cluster.take_written();
    cluster.delete_plan("ferry-1");
    cluster.wait(3000);
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-1", "let ferry-1 go"]);
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    cluster.wait(3000);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    cluster.wait(3000);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

/// The status still contains the version after all plans and their objects were deleted.
#[test]
fn deleting_all_plans_keeps_version_and_status() {
    let mut cluster = upgraded();
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster
        .refused
        .insert("ferry.v1.1.0".to_owned(), "the image is gone".to_owned());
    for plan in ["ferry-1", "ferry-2"] {
        cluster.delete_plan(plan);
    }
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False BundleNotInstallable: cannot read ferry.v1.1.0 from catalog demo: the image is \
         gone; add the bundle to the catalog again, or delete the Operator and create it with \
         another version: CRDs and custom resources are kept"
    );
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
    let ready = cluster.status("ferry").condition(ConditionType::Ready);
    assert_eq!(
        ready.map(|it| it.message.as_str()),
        Some("the InstallPlan ferry-2 of ferry.v1.1.0 is missing")
    );
    cluster.refused.clear();
    cluster.take_written();
    cluster.settle();
    assert_eq!(
        cluster.take_written()[..2],
        ["make ferry-2", "let ferry-2 go"]
    );
}

#[test]
fn operator_waits_for_a_plan_in_deletion() {
    let mut cluster = upgraded();
    cluster.delete_plan("ferry-2");
    let decision = cluster.decide("ferry");
    assert_eq!(decision.steps, []);
    let installing = decision.status.condition(ConditionType::Installing);
    let (reason, message) = installing
        .map(|it| (&*it.reason, &*it.message))
        .expect("it");
    assert_eq!(reason, "Reinstalling");
    assert_eq!(
        message,
        "InstallPlan ferry-2 is being deleted: AllReady of ferry-2; after the deletion, Portolan \
         installs ferry.v1.1.0 again"
    );
}

/// A client deletes the plan of an upgrade that is not complete.
#[test]
fn deleted_unapplied_plan_keeps_the_previous_version() {
    let mut cluster = upgraded();
    cluster.stuck.insert("ferry.v1.2.0".to_owned());
    cluster.put("ferry", wish("ferry", "1.2.0"));
    cluster.settle();
    cluster.put("ferry", wish("ferry", ""));
    cluster.settle();
    cluster.delete_plan("ferry-3");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
    assert_eq!(cluster.runs["ferry"], "1.1.0");
}

#[test]
fn restored_version_needs_no_approval_and_no_dependency_check() {
    let mut cluster = upgraded();
    let needs = ("rope".to_owned(), ">=1.0.0".to_owned());
    cluster.requires.insert("ferry.v1.1.0".to_owned(), needs);
    let spec = json!({"packageName": "ferry", "version": "1.1.0", "approval": "Manual"});
    cluster.put("ferry", spec);
    cluster.settle();
    cluster.delete_plan("ferry-2");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
    assert_eq!(cluster.take_written(), ["make ferry-2", "let ferry-2 go"]);
}

/// A client changed the CRD while the plan was missing.
#[test]
fn restored_version_keeps_crd_fields_without_acceptance() {
    let mut cluster = upgraded();
    cluster
        .definitions
        .insert("ferry.v1.1.0".to_owned(), definition(&["a"]));
    cluster.there = vec![definition(&["a", "b"])];
    cluster.delete_plan("ferry-2");
    cluster.settle();
    let said = cluster.reported("ferry");
    assert!(
        said.starts_with("False CrdUpgradeUnsafe: nothing -> ferry.v1.1.0: "),
        "{said}"
    );
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
    cluster.annotate("ferry", ACCEPT_BREAKS, "ferry.v1.1.0");
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2", "let ferry-2 go"]);
}

#[test]
fn other_image_under_the_same_name_is_not_installed_without_approval() {
    let mut cluster = upgraded();
    cluster.delete_plan("ferry-2");
    cluster.digests.insert("ferry.v1.1.0".to_owned(), "1");
    cluster.settle();
    let said = cluster.reported("ferry");
    assert!(
        said.starts_with("False BundleChanged: InstallPlan ferry-2 is missing, and the image of"),
        "{said}"
    );
    cluster.annotate("ferry", APPROVE, "ferry.v1.1.0");
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2", "let ferry-2 go"]);
}

/// The version was already installed before its plan was deleted, so a revert would be a downgrade.
#[test]
fn restored_version_is_not_reverted() {
    let mut cluster = upgraded();
    let mut spec = wish("ferry", "1.1.0");
    spec["onFailure"] = json!("Revert");
    cluster.put("ferry", spec);
    cluster.settle();
    cluster.stuck.insert("ferry.v1.1.0".to_owned());
    cluster.delete_plan("ferry-2");
    cluster.settle();
    let said = cluster.reported("ferry");
    assert!(said.starts_with("False InstallFailed: "), "{said}");
    assert_eq!(cluster.take_written(), ["make ferry-2", "let ferry-2 go"]);
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

#[test]
fn operator_is_deleted_though_its_newest_plan_is_missing() {
    let mut cluster = upgraded();
    cluster.delete_plan("ferry-2");
    cluster.carry_out();
    cluster.delete("ferry");
    cluster.settle();
    assert_eq!(cluster.take_written(), ["delete ferry-1", "ferry is gone"]);
}

/// The deletion of a suspended plan deletes no objects, so the plan must be released.
#[test]
fn suspended_plan_is_released_once_it_is_being_deleted() {
    let mut cluster = upgraded();
    cluster.delete_plan("ferry-2");
    cluster.carry_out();
    cluster.delete("ferry");
    cluster.delete_plan("ferry-1");
    let steps = cluster.decide("ferry").steps;
    let [Step::Release { plan, .. }] = &steps[..] else {
        panic!("{steps:?}");
    };
    assert_eq!(plan, "ferry-1");
}

/// The other Operators on the same route wait until the version is restored.
#[test]
fn other_operators_use_the_version_while_its_plan_is_missing() {
    let mut cluster = upgraded();
    cluster
        .packages
        .insert("rope".to_owned(), vec!["1.0.0", "1.1.0"]);
    cluster.together = ["ferry", "rope"].into();
    cluster.put("rope", wish("rope", "1.0.0"));
    cluster.settle();
    cluster.put("rope", wish("rope", "1.1.0"));
    cluster.delete_plan("ferry-2");
    cluster.carry_out();
    let fleet = cluster.fleet();
    let question = fleet.question(&BTreeMap::new());
    let ferry = question
        .others
        .iter()
        .find(|it| it.package == "ferry")
        .expect("it");
    assert_eq!((&*ferry.version, ferry.is_remembered), ("1.1.0", true));
    let rope = cluster.decide("rope");
    let installing = rope
        .status
        .condition(ConditionType::Installing)
        .expect("it");
    assert_eq!(installing.reason, "Settling");
}

/// The specs do not change, and a client deletes plans at random times.
#[test]
fn installed_version_never_changes_while_plans_are_deleted_at_random() {
    let specs = [
        ("barge", json!("1.1.0"), 0, "1.1.0"),
        ("buoy", json!(""), 0, "1.1.0"),
        ("ferry", json!(">=1.0.0"), 1_000_000, "1.1.0"),
    ];
    for seed in 0..60 {
        let mut cluster = Cluster::new();
        for (name, ..) in &specs {
            let versions = vec!["1.0.0", "1.1.0", "1.2.0"];
            cluster.packages.insert((*name).to_owned(), versions);
            for version in ["1.0.0", "1.1.0"] {
                cluster.put(name, wish(name, version));
                cluster.settle();
            }
        }
        for (name, version, settle, _) in &specs {
            let spec = json!({"packageName": name, "version": version, "settleSeconds": settle});
            cluster.put(name, spec);
        }
        cluster.settle();
        let mut numbers = Numbers(seed);
        for at in 0..80 {
            disturb(&mut cluster, &mut numbers);
            for (name, _, _, version) in &specs {
                let context = format!("{name} after change {at} of {seed}");
                assert_eq!(cluster.installed(name), Some(*version), "{context}");
                assert_eq!(cluster.runs[*name], *version, "{context}");
            }
        }
        cluster.settle();
        for (name, _, _, version) in &specs {
            let ready = cluster.status(name).condition(ConditionType::Ready);
            assert_eq!(
                ready.map(|it| &*it.status),
                Some("True"),
                "{name} of {seed}"
            );
            assert_eq!(cluster.runs[*name], *version, "{name} of {seed}");
        }
    }
}

fn disturb(cluster: &mut Cluster, numbers: &mut Numbers) {
    let name = numbers.of(&["barge", "buoy", "ferry"]);
    let plans: Vec<_> = cluster.plans.keys().cloned().collect();
    match numbers.below(8) {
        0 | 1 if !plans.is_empty() => cluster.delete_plan(&plans[numbers.below(plans.len())]),
        2 if numbers.below(4) == 0 => plans.iter().for_each(|plan| cluster.delete_plan(plan)),
        3 | 4 => cluster.carry_out(),
        5 => cluster.wait(100),
        _ => drop(cluster.turn(name, 1 + numbers.below(2))),
    }
}

/// The specs change, and a client deletes plans at random times. The version of an operator must
/// never decrease.
#[test]
fn versions_never_decrease_while_plans_are_deleted_at_random() {
    for seed in 0..60 {
        let (mut cluster, mut numbers) = (Cluster::new(), Numbers(seed));
        let names = ["barge", "buoy", "ferry"];
        for name in names {
            let versions = vec!["1.0.0", "1.1.0", "1.2.0"];
            cluster.packages.insert(name.to_owned(), versions);
            cluster.put(name, wish(name, "1.0.0"));
        }
        cluster.settle();
        let mut highest = BTreeMap::new();
        for at in 0..80 {
            if numbers.below(8) == 0 {
                let name = numbers.of(&names);
                cluster.put(
                    name,
                    wish(name, numbers.of(&[">=1.0.0", ">=1.0.0 <1.2.0", ""])),
                );
            }
            disturb(&mut cluster, &mut numbers);
            for name in names {
                let version = cluster.installed(name).expect("a version");
                let version = Version::parse(version).expect("a version");
                let before = highest.insert(name, version.clone());
                let is_lower = before.is_some_and(|before| version < before);
                assert!(!is_lower, "{name} after change {at} of {seed}");
            }
        }
        cluster.settle();
        for name in names {
            assert_eq!(
                cluster.installed(name),
                Some(&*cluster.runs[name]),
                "{name} of {seed}"
            );
        }
    }
}
