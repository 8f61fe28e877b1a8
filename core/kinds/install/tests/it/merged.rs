//! Tests of plans that merge plans of several lineages.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::Phase;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::deployment;
use crate::fleet::Fleet;
use crate::handover::{about, changed, deleted, names, object, plan, replacing};
use crate::kit::config_map;
use crate::model::{Server, identity};

fn deleting(mut spec: Value) -> Value {
    spec["lifecycle"]["onPlanDeletion"] = json!("Delete");
    spec
}

/// Returns two ready plans of different lineages. Plan `a` contains the objects a-same, a-changed
/// and a-dropped. Plan `b` contains b-same, b-changed and b-dropped.
fn two() -> Fleet {
    let mut fleet = Fleet::new(Server::new());
    for name in ["a", "b"] {
        let maps = ["same", "changed", "dropped"].map(|map| config_map(&format!("{name}-{map}")));
        fleet.make(name, &deleting(plan(&maps)));
    }
    fleet.run(None);
    fleet
}

/// Returns a plan that merges both plans and adds one object.
fn both() -> Value {
    let maps = [
        config_map("a-same"),
        changed("a-changed"),
        config_map("b-same"),
        changed("b-changed"),
        config_map("added"),
    ];
    deleting(replacing(plan(&maps), &["a", "b"]))
}

fn merged() -> Fleet {
    let mut fleet = two();
    fleet.make("c", &both());
    fleet.run(None);
    assert_eq!(fleet.plan("c").status.phase, Some(Phase::Ready));
    fleet
}

const BOTH: [&str; 5] = [
    "ConfigMap harbor/a-changed",
    "ConfigMap harbor/a-same",
    "ConfigMap harbor/added",
    "ConfigMap harbor/b-changed",
    "ConfigMap harbor/b-same",
];

fn phase(fleet: &Fleet, name: &str) -> Option<Phase> {
    fleet.plan(name).status.phase
}

fn lineage(fleet: &Fleet, name: &str) -> Option<String> {
    let labels = &object(fleet, &config_map(name))["metadata"]["labels"];
    let lineage = labels["plans.portolan.dev/lineage"].as_str();
    lineage.map(str::to_owned)
}

/// Returns the uids of the existing objects by name.
fn uids(fleet: &Fleet) -> BTreeMap<String, Value> {
    let objects = fleet.server.objects.iter();
    let uids = objects.map(|(name, object)| (name.to_string(), object["metadata"]["uid"].clone()));
    uids.collect()
}

#[test]
fn plan_merges_two_other_plans() {
    let mut fleet = two();
    let (before, same) = (uids(&fleet), object(&fleet, &config_map("b-same")).clone());
    let (dry_runs, applies) = (fleet.server.trials.get(), fleet.server.applies);
    fleet.make("c", &both());
    fleet.run(None);
    assert_same!(names(&fleet), BOTH);
    let mut gone = deleted(&fleet);
    gone.sort();
    assert_same!(
        gone,
        ["ConfigMap harbor/a-dropped", "ConfigMap harbor/b-dropped"]
    );
    for (name, uid) in uids(&fleet) {
        assert!(
            before.get(&name).is_none_or(|before| *before == uid),
            "{name}"
        );
    }
    assert_same!(object(&fleet, &config_map("b-same")), &same);
    // For objects that do not change, the merging plan sends no requests.
    assert_eq!(fleet.server.trials.get() - dry_runs, 3);
    assert_eq!(fleet.server.applies - applies, 2);
    for name in ["a-changed", "b-changed"] {
        assert_same!(
            object(&fleet, &config_map(name))["data"],
            json!({"other": "new"})
        );
    }
    for name in ["a", "b"] {
        assert_same!(
            about(&fleet, name, "Replaced"),
            "Replaced True HandedOver c has replaced this plan"
        );
    }
    let [a, b, c] = ["a", "b", "c"].map(|name| fleet.plan(name).clone());
    assert_same!(c.status.lineage, Some(c.uid));
    let all: BTreeSet<_> = [a.uid, b.uid].into();
    assert_same!(
        c.status
            .merged_lineages
            .into_iter()
            .collect::<BTreeSet<_>>(),
        all
    );
    // A user may delete the old plans now. Their objects are deleted together with the new plan.
    for name in ["a", "b"] {
        fleet.delete(name);
    }
    fleet.run(None);
    assert_same!(names(&fleet), BOTH);
    fleet.delete("c");
    fleet.run(None);
    assert!(fleet.plans.is_empty());
    assert_same!(names(&fleet), Vec::<String>::new());
}

/// When the merging plan is deleted, each object is given back to the plan that had it.
#[test]
fn deletion_of_a_merging_plan_undoes_the_merge() {
    let mut fleet = merged();
    fleet.delete("c");
    fleet.run(None);
    assert!(!fleet.has("c"));
    for name in ["a", "b"] {
        assert_eq!(phase(&fleet, name), Some(Phase::Ready));
        assert!(fleet.plan(name).has_finalizer);
        for map in ["same", "changed", "dropped"] {
            let map = format!("{name}-{map}");
            assert_eq!(lineage(&fleet, &map).as_ref(), Some(&fleet.plan(name).uid));
            let data = &object(&fleet, &config_map(&map))["data"];
            assert_same!(data, &json!({"key": "value"}));
        }
    }
    assert!(!names(&fleet).contains(&BOTH[2].to_owned()));
    // Each plan deletes only the objects that it got back.
    fleet.delete("a");
    fleet.run(None);
    let left = ["b-changed", "b-dropped", "b-same"].map(|name| format!("ConfigMap harbor/{name}"));
    assert_same!(names(&fleet), left);
}

/// A user deletes the plans in any order, at any time during the merge.
#[rstest]
fn deleted_merged_plans_leave_no_objects(#[values(0, 3, 6, 9, 14, 100)] after: usize) {
    for order in [["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]] {
        let mut fleet = two();
        fleet.make("c", &both());
        fleet.run(Some(fleet.server.writes + after));
        for name in order {
            if fleet.has(name) {
                fleet.delete(name);
            }
        }
        fleet.run(None);
        assert!(fleet.plans.is_empty(), "{order:?}");
        assert_same!(names(&fleet), Vec::<String>::new());
    }
}

#[test]
fn next_version_of_a_merging_plan_has_the_same_lineages() {
    let mut fleet = merged();
    for name in ["a", "b"] {
        fleet.delete(name);
    }
    let maps = [config_map("a-same"), changed("b-same"), config_map("added")];
    fleet.make("d", &deleting(replacing(plan(&maps), &["c"])));
    fleet.run(None);
    let left = ["a-same", "added", "b-same"].map(|name| format!("ConfigMap harbor/{name}"));
    assert_same!(names(&fleet), left);
    let [c, d] = ["c", "d"].map(|name| fleet.plan(name).status.clone());
    assert_eq!(
        (c.lineage, c.merged_lineages),
        (d.lineage, d.merged_lineages)
    );
    assert_same!(
        object(&fleet, &config_map("b-same"))["data"],
        json!({"other": "new"})
    );
    for name in ["c", "d"] {
        fleet.delete(name);
    }
    fleet.run(None);
    assert!(fleet.plans.is_empty() && fleet.server.objects.is_empty());
}

/// The objects have labels of three lineages. All plans of these lineages are deleted.
#[test]
fn plan_takes_over_from_a_deleted_merged_plan() {
    let mut fleet = merged();
    for name in ["a", "b"] {
        fleet.delete(name);
    }
    fleet.run(None);
    fleet.change("c", "/lifecycle/onPlanDeletion", json!("Keep"));
    fleet.run(None);
    fleet.delete("c");
    assert!(!fleet.has("c"));
    let maps = [changed("a-same"), changed("b-same"), config_map("added")];
    fleet.make("d", &replacing(plan(&maps), &["c"]));
    fleet.run(None);
    assert_eq!(phase(&fleet, "d"), Some(Phase::Ready));
}

/// The merging plan waits until both plans have stopped. One of them stops before it is complete.
/// Later, both plans get their objects back.
#[test]
fn unready_predecessor_is_merged_and_restored() {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &deleting(plan(&[config_map("a")])));
    fleet.server.stuck.insert(identity(&deployment("b")));
    let half = json!({"stages": [
        {"name": "one", "resources": [{"manifest": deployment("b")}]},
        {"name": "two", "resources": [{"manifest": config_map("late")}]},
    ]});
    fleet.make("b", &deleting(half));
    fleet.run(None);
    assert_eq!(phase(&fleet, "b"), Some(Phase::Applying));
    let maps = [config_map("a"), config_map("late"), config_map("added")];
    fleet.make("c", &deleting(replacing(plan(&maps), &["a", "b"])));
    fleet.run(None);
    assert_eq!(phase(&fleet, "c"), Some(Phase::Ready));
    assert_same!(deleted(&fleet), ["Deployment.apps harbor/b"]);
    // If the merging plan creates an object of an earlier plan, it creates the object in the
    // lineage of that plan.
    assert_eq!(lineage(&fleet, "late").as_ref(), Some(&fleet.plan("b").uid));
    assert_eq!(
        lineage(&fleet, "added").as_ref(),
        Some(&fleet.plan("c").uid)
    );
    fleet.server.stuck.clear();
    fleet.delete("c");
    fleet.run(None);
    assert!(!fleet.has("c"));
    for name in ["a", "b"] {
        assert_eq!(phase(&fleet, name), Some(Phase::Ready));
    }
    assert!(!names(&fleet).contains(&"ConfigMap harbor/added".to_owned()));
}

/// Both plans contain the object `shared`. The first plan created it, and the second plan reports a
/// conflict. After the merge, the first plan gets the object back.
#[test]
fn colliding_plans_are_merged_and_restored() {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &deleting(plan(&["shared", "a"].map(config_map))));
    fleet.run(None);
    fleet.make("b", &deleting(plan(&["shared", "b"].map(config_map))));
    fleet.run(None);
    let refused = about(&fleet, "b", "Applied");
    assert!(
        refused.starts_with("Applied False ObjectNotOwned"),
        "{refused}"
    );
    let uid = uids(&fleet)["ConfigMap harbor/shared"].clone();
    let maps = ["shared", "a", "b"].map(config_map);
    fleet.make("c", &deleting(replacing(plan(&maps), &["a", "b"])));
    fleet.run(None);
    assert_eq!(phase(&fleet, "c"), Some(Phase::Ready));
    assert_eq!(uids(&fleet)["ConfigMap harbor/shared"], uid);
    fleet.delete("c");
    fleet.run(None);
    assert!(!fleet.has("c"));
    assert_eq!(phase(&fleet, "a"), Some(Phase::Ready));
    assert_same!(about(&fleet, "b", "Applied"), refused);
    assert_eq!(uids(&fleet)["ConfigMap harbor/shared"], uid);
    assert!(!names(&fleet).contains(&"ConfigMap harbor/b".to_owned()));
}

/// One plan created the object, and the other plan adopted it. After the merge, the object counts
/// as created, so it can be deleted.
#[test]
fn object_created_by_one_and_adopted_by_other_is_deleted() {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &deleting(plan(&["shared", "a"].map(config_map))));
    fleet.run(None);
    let mut spec = deleting(plan(&[changed("shared")]));
    spec["collisions"] = json!("Adopt");
    fleet.make("b", &spec);
    fleet.run(None);
    assert_eq!(
        lineage(&fleet, "shared").as_ref(),
        Some(&fleet.plan("b").uid)
    );
    fleet.make(
        "c",
        &deleting(replacing(
            plan(&["shared", "a"].map(config_map)),
            &["a", "b"],
        )),
    );
    fleet.run(None);
    assert_eq!(phase(&fleet, "c"), Some(Phase::Ready));
    for name in ["a", "b", "c"] {
        fleet.delete(name);
    }
    fleet.run(None);
    assert!(fleet.plans.is_empty() && fleet.server.objects.is_empty());
}

/// Another user deletes an object. The merging plan recreates it in the lineage of the plan that
/// had it.
#[test]
fn recreated_object_belongs_to_its_original_plan() {
    let mut fleet = merged();
    fleet.change("c", "/lifecycle/onDeletion", json!("Recreate"));
    for name in ["b-same", "added"] {
        fleet.server.objects.remove(&identity(&config_map(name)));
    }
    fleet.run(None);
    assert_eq!(phase(&fleet, "c"), Some(Phase::Ready));
    for (name, owner) in [("b-same", "b"), ("added", "c")] {
        assert_eq!(lineage(&fleet, name).as_ref(), Some(&fleet.plan(owner).uid));
    }
}

/// The merging plan is replaced by its next version. A missing object is created in the lineage of
/// the plan that had it, not in the lineage of the merging plan.
#[test]
fn object_recreated_by_next_version_belongs_to_original_plan() {
    let mut fleet = merged();
    let maps = ["a-same", "b-same", "added"].map(config_map);
    fleet.make("d", &deleting(replacing(plan(&maps), &["c"])));
    fleet.change("d", "/lifecycle/onDeletion", json!("Recreate"));
    fleet.run(None);
    assert_eq!(phase(&fleet, "d"), Some(Phase::Ready));
    fleet
        .server
        .objects
        .remove(&identity(&config_map("b-same")));
    fleet.run(None);
    assert_eq!(
        lineage(&fleet, "b-same").as_ref(),
        Some(&fleet.plan("b").uid)
    );
}

#[test]
fn plan_that_cannot_replace_one_of_two_plans_replaces_neither() {
    let mut fleet = two();
    fleet.make(
        "d",
        &deleting(replacing(plan(&[config_map("a-same")]), &["a"])),
    );
    fleet.run(None);
    fleet.make("c", &both());
    fleet.run(None);
    assert_same!(
        about(&fleet, "c", "Valid"),
        "Valid False AlreadyReplaced d already replaces the same plan; delete one of the two \
         plans, or create a plan that replaces d"
    );
    assert_eq!(phase(&fleet, "b"), Some(Phase::Ready));
    assert_eq!(phase(&fleet, "d"), Some(Phase::Ready));
    // Two plans cannot both replace the same plan, each for a part of its objects.
    fleet.make("e", &replacing(plan(&[config_map("e")]), &["b"]));
    fleet.make("f", &replacing(plan(&[config_map("f")]), &["b"]));
    fleet.run(None);
    assert_eq!(phase(&fleet, "e"), Some(Phase::Ready));
    let told = about(&fleet, "f", "Valid");
    assert!(
        told.starts_with("Valid False AlreadyReplaced e already replaces"),
        "{told}"
    );
}

/// Before the merge begins, the ServiceAccount needs the permission to delete the dropped objects
/// of both plans.
#[test]
fn permissions_to_delete_dropped_objects_are_required_first() {
    for (left, is_permitted) in [
        (vec!["b-dropped"], false),
        (vec!["a-dropped"], false),
        (vec![], true),
    ] {
        let mut fleet = two();
        fleet.server.denies = ["delete"].into();
        let mut maps = vec![
            "a-same",
            "a-changed",
            "b-same",
            "b-changed",
            "a-dropped",
            "b-dropped",
        ];
        maps.retain(|map| !left.contains(map));
        let maps: Vec<_> = maps.into_iter().map(config_map).collect();
        fleet.make("c", &replacing(plan(&maps), &["a", "b"]));
        fleet.run(None);
        let is_ready = phase(&fleet, "c") == Some(Phase::Ready);
        assert_eq!(is_ready, is_permitted, "{left:?}");
        let expected = if is_permitted {
            Phase::Superseded
        } else {
            Phase::Ready
        };
        assert_eq!(phase(&fleet, "a"), Some(expected));
        assert_eq!(phase(&fleet, "b"), Some(expected));
    }
}

#[test]
fn plan_merges_at_most_twenty_lineages() {
    for count in [20, 21] {
        let mut fleet = Fleet::new(Server::new());
        let names: Vec<_> = (0..count).map(|at| format!("p{at}")).collect();
        for name in &names {
            fleet.make(name, &plan(&[config_map(name)]));
        }
        fleet.run(None);
        let mut spec = plan(&[config_map("all")]);
        spec["replaces"] = json!([{"labelSelector": {"matchLabels": {"app": "ferry"}}}]);
        fleet.make("all", &spec);
        fleet.run(None);
        let expected = if count == 20 {
            Phase::Ready
        } else {
            Phase::Invalid
        };
        assert_eq!(phase(&fleet, "all"), Some(expected));
        if count == 21 {
            assert_same!(
                about(&fleet, "all", "Valid"),
                "Valid False LineagesDiffer the replaced plans belong to 21 lineages (chains of \
                 plans), but a plan can merge at most 20 lineages; merge some of the replaced \
                 plans first"
            );
        }
    }
}

/// The controller may stop after any write. The plans are reconciled in any order.
#[rstest]
#[case::merge(&[])]
#[case::one_old_plan_is_deleted(&["b"])]
#[case::both_old_plans_are_deleted(&["a", "b"])]
#[case::new_plan_is_deleted(&["c"])]
#[case::new_plan_and_one_old_plan_are_deleted(&["c", "a"])]
fn interrupted_merge_always_has_the_same_result(
    #[case] gone: &[&str],
    #[values(0, 4, 8, 12, 40)] after: usize,
) {
    let mut start = two();
    start.make("c", &both());
    if after > 0 {
        start.run(Some(start.server.writes + after));
    }
    for name in gone {
        start.delete(name);
    }
    let mut whole = start.clone();
    whole.run(None);
    for stop in start.server.writes + 1..=whole.server.writes {
        for first in 0..3 {
            let mut fleet = start.clone();
            fleet.run_from(first, Some(stop));
            fleet.run_from(first + 1, Some(stop + 1 + stop % 3));
            fleet.run_from(first, None);
            assert_same!(names(&fleet), names(&whole));
            let plans = |fleet: &Fleet| {
                let plans = fleet.plans.iter();
                plans
                    .map(|it| (it.name.clone(), it.status.phase))
                    .collect::<Vec<_>>()
            };
            assert_same!(plans(&fleet), plans(&whole));
            let shared = ["a-same", "b-same"].map(|name| identity(&config_map(name)).to_string());
            if gone.is_empty() {
                assert!(!deleted(&fleet).iter().any(|it| shared.contains(it)));
            }
        }
    }
}
