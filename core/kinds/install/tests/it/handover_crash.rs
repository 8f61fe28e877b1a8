//! Tests of handovers in which the controller stops after any write and reconciles the plans in any
//! order.

use portolan_core_install::ObjectRef;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::crash::objects;
use crate::decide::{definition, describe, namespace, ship};
use crate::fleet::Fleet;
use crate::handover::{changed, plan, replacing};
use crate::kit::config_map;
use crate::model::{End, Server, identity};

/// Returns three plans that replace each other. The second and the third plan are created in the
/// same second.
fn three(word: &str) -> Fleet {
    let found = config_map("found");
    let all = |others: &[Value]| [&[namespace(), config_map("same")], others].concat();
    let mut specs = [
        plan(&all(&[
            found.clone(),
            config_map("changed"),
            config_map("dropped"),
        ])),
        replacing(
            plan(&all(&[found, changed("changed"), config_map("added")])),
            &["a"],
        ),
        replacing(
            plan(&all(&[definition(), changed("changed"), ship("one")])),
            &["b"],
        ),
    ];
    let mut fleet = Fleet::new(Server::new().with(config_map("found")));
    for (spec, name) in specs.iter_mut().zip(["a", "b", "c"]) {
        spec["lifecycle"] = json!({"onPlanDeletion": word});
        spec["collisions"] = json!("Adopt");
        fleet.make(name, spec);
        if name == "a" {
            fleet.run(None);
        }
    }
    fleet
}

/// The controller may stop after any write. The plans are reconciled in any order.
#[rstest]
#[case::handover(&[])]
#[case::old_plan_is_deleted(&["a"])]
#[case::new_plan_is_deleted(&["c"])]
#[case::middle_plan_is_deleted(&["b"])]
#[case::all_but_the_old_plan_are_deleted(&["b", "c"])]
#[case::all_plans_are_deleted(&["a", "b", "c"])]
fn interrupted_handover_always_has_the_same_result(
    #[case] deleted: &[&str],
    #[values("Keep", "Delete")] word: &str,
    #[values(0, 5, 9, 13, 40)] after: usize,
) {
    let mut start = three(word);
    if after > 0 {
        start.run(Some(start.server.writes + after));
    }
    for name in deleted {
        start.delete(name);
    }
    let mut whole = start.clone();
    whole.run(None);
    let expected = end(&whole);
    for stop in start.server.writes + 1..=whole.server.writes {
        let mut fleet = start.clone();
        fleet.run(Some(stop));
        fleet.run(Some(stop + 1 + stop % 3));
        fleet.run(None);
        assert_same!(end(&fleet), expected);
        hold(&fleet);
        // If another plan wins, the final state may differ. The invariants must still hold.
        let mut fleet = start.clone();
        fleet.run_from(stop, Some(stop));
        fleet.run_from(stop + 1, None);
        hold(&fleet);
    }
}

/// Asserts that the objects that all plans contain, and the objects that existed before, are never
/// deleted.
fn hold(fleet: &Fleet) {
    let is_any_left = !fleet.plans.is_empty();
    for object in &fleet.server.deleted {
        let name = identity(object);
        let is_shared = ["same", "changed"]
            .map(|name| identity(&config_map(name)))
            .contains(&name);
        assert!(!is_shared || !is_any_left, "{name} is in all plans");
        assert_ne!(name, identity(&config_map("found")));
        assert_ne!(name, identity(&namespace()));
    }
    assert_eq!(fleet.server.lost, Vec::<Value>::new());
}

/// The remaining objects, and the messages of each plan.
type Left = (Vec<(ObjectRef, Value)>, Vec<Vec<String>>);

/// Returns the final objects and statuses. Omits values that differ between runs.
fn end(fleet: &Fleet) -> Left {
    let mut fleet = fleet.clone();
    assert_eq!(fleet.run(None), End::Rest);
    let plans = fleet
        .plans
        .iter()
        .map(|plan| [vec![plan.name.clone()], describe(&plan.status)].concat());
    (objects(&fleet.server), plans.collect())
}
