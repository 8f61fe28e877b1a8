//! Tests of a plan that has replaced another plan and is then deleted.

use portolan_api::plan::Phase;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::deployment;
use crate::fleet::Fleet;
use crate::handover::{about, changed, names, object, plan, replacing, reported, second, two};
use crate::kit::{config_map, stage};
use crate::model::{Server, identity};
use crate::removal::deleting;

#[rstest]
#[case::with_a_plan_that_keeps_objects("Keep", &["added", "changed", "dropped", "same"])]
#[case::with_a_plan_that_deletes_objects("Delete", &["changed", "dropped", "same"])]
fn deleted_plan_gives_objects_back_to_its_predecessor(
    #[case] word: &str,
    #[case] expected: &[&str],
) {
    let mut fleet = two();
    let mut spec = second();
    spec["lifecycle"] = json!({"onPlanDeletion": word});
    fleet.make("b", &spec);
    fleet.run(None);
    fleet.delete("b");
    fleet.run(None);
    assert!(!fleet.has("b"));
    let expected: Vec<_> = expected
        .iter()
        .map(|name| format!("ConfigMap harbor/{name}"))
        .collect();
    assert_same!(names(&fleet), expected);
    assert_same!(
        object(&fleet, &config_map("changed"))["data"],
        json!({"key": "value"})
    );
    assert_same!(
        reported(&fleet, "a")[3..],
        [
            "Applied True AllApplied 3 objects were applied",
            "Ready True AllReady 3 objects are ready",
            "Replaced False NotReplaced no plan replaces this plan",
        ]
    );
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Ready));
}

/// First the old plan gets its objects back. Only then are the objects deleted that only the new
/// plan contains.
#[test]
fn no_object_is_deleted_before_objects_are_given_back() {
    let mut fleet = two();
    let mut spec = second();
    spec["lifecycle"] = json!({"onPlanDeletion": "Delete"});
    fleet.make("b", &spec);
    fleet.run(None);
    fleet.server.refuses = [identity(&config_map("dropped"))].into();
    fleet.delete("b");
    fleet.run(None);
    assert_same!(
        about(&fleet, "b", "Ready"),
        "Ready False Deleting this plan is deleted once a has applied its objects again; to \
         continue without a, delete a as well"
    );
    assert!(names(&fleet).contains(&"ConfigMap harbor/added".to_owned()));
    fleet.server.refuses.clear();
    fleet.run(None);
    assert!(!fleet.has("b") && !names(&fleet).contains(&"ConfigMap harbor/added".to_owned()));
}

/// The previous plan was never applied completely.
#[test]
fn plan_in_deletion_ends_when_its_stuck_predecessor_is_deleted() {
    let mut fleet = two();
    let mut spec = second();
    spec["lifecycle"] = json!({"onPlanDeletion": "Delete"});
    fleet.make("b", &spec);
    fleet.run(None);
    fleet.server.refuses = [identity(&config_map("dropped"))].into();
    fleet.delete("b");
    fleet.run(None);
    assert!(fleet.has("b"));
    fleet.delete("a");
    fleet.run(None);
    assert!(!fleet.has("a") && !fleet.has("b"));
}

/// An earlier plan contains an object that it did not create. Later, another user created the
/// object, and a later plan found it.
#[rstest]
#[case::plan_is_deleted_at_once("Keep")]
#[case::plan_reports_its_deletion("Delete")]
fn gives_found_object_back_as_object_of_another_owner(#[case] word: &str) {
    let (found, stuck) = (config_map("found"), deployment("x"));
    let mut fleet = Fleet::new(Server::new());
    fleet.server.stuck.insert(identity(&stuck));
    let stages = [&stuck, &found].map(|manifest| {
        let name = manifest["metadata"]["name"].as_str().expect("a name");
        stage(name, std::slice::from_ref(manifest))
    });
    let mut first = deleting(json!({"stages": stages}));
    first["collisions"] = json!("Refuse");
    fleet.make("a", &first);
    fleet.run(None);
    fleet.server = std::mem::replace(&mut fleet.server, Server::new()).with(found.clone());
    let before = object(&fleet, &found)["metadata"]["uid"].clone();
    let mut adopting = replacing(plan(std::slice::from_ref(&found)), &["a"]);
    adopting["collisions"] = json!("Adopt");
    adopting["lifecycle"] = json!({"onPlanDeletion": word});
    fleet.make("b", &adopting);
    fleet.run(None);
    fleet.delete("b");
    fleet.server.stuck.clear();
    fleet.run(None);
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Ready));
    let record = fleet.plan("a").status.record.as_ref();
    let recorded: Vec<_> = record.expect("a record").found.values().collect();
    assert_eq!(recorded, [&before]);
    fleet.delete("a");
    fleet.run(None);
    assert!(fleet.plans.is_empty());
    assert_same!(names(&fleet), ["ConfigMap harbor/found"]);
}

/// The plan that found the object is deleted before the other plans have read its record.
#[rstest]
#[case::taking_plan_is_deleted_at_once(false)]
#[case::another_plan_replaces_it(true)]
fn object_found_by_a_deleted_plan_is_kept(#[case] is_replaced: bool) {
    let (found, stuck) = (config_map("found"), deployment("x"));
    let mut fleet = Fleet::new(Server::new());
    fleet.server.stuck.insert(identity(&stuck));
    let stages = [
        stage("x", &[stuck]),
        stage("found", std::slice::from_ref(&found)),
    ];
    fleet.make("a", &deleting(json!({"stages": stages})));
    fleet.run(None);
    fleet.server = std::mem::replace(&mut fleet.server, Server::new()).with(found.clone());
    let mut adopting = replacing(plan(std::slice::from_ref(&found)), &["a"]);
    adopting["collisions"] = json!("Adopt");
    fleet.make("b", &adopting);
    fleet.run(None);
    fleet.delete("b");
    assert!(!fleet.has("b"));
    if is_replaced {
        let other = plan(&[found, config_map("third")]);
        fleet.make("c", &deleting(replacing(other, &["a", "b"])));
        fleet.run_from(1, None);
        assert_eq!(fleet.plan("c").status.phase, Some(Phase::Ready));
        fleet.delete("a");
        fleet.run(None);
        fleet.delete("c");
    } else {
        fleet.delete("a");
    }
    fleet.run(None);
    assert!(fleet.plans.is_empty());
    assert_same!(names(&fleet), ["ConfigMap harbor/found"]);
}

/// While the newer plan is still being deleted, the older plan becomes active and recreates a
/// missing object. The next plan must not treat this object as deleted.
#[test]
fn recreated_object_is_deleted_when_a_later_plan_drops_it() {
    let [both, dropped, held] = ["both", "dropped", "held"].map(config_map);
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &plan(&[both.clone(), dropped.clone()]));
    fleet.run(None);
    fleet.make(
        "b",
        &deleting(replacing(plan(&[both.clone(), held.clone()]), &["a"])),
    );
    fleet.run(None);
    fleet.server.hold(&held, "ferry.example/hold");
    fleet.delete("b");
    fleet.run(None);
    assert!(fleet.has("b") && names(&fleet).contains(&"ConfigMap harbor/dropped".to_owned()));
    fleet.make("c", &replacing(plan(&[both]), &["a", "b"]));
    fleet.run(None);
    fleet.server.held.clear();
    fleet.run(None);
    assert_eq!(fleet.plan("c").status.phase, Some(Phase::Ready));
    assert_same!(names(&fleet), ["ConfigMap harbor/both"]);
}

/// Returns two plans. The second plan replaces the first plan before the first plan begins.
fn never_begun(change: impl FnOnce(&mut Fleet, &mut Value)) -> Fleet {
    let mut fleet = Fleet::new(Server::new());
    let mut first = deleting(plan(&[config_map("both"), config_map("first")]));
    change(&mut fleet, &mut first);
    fleet.make("a", &first);
    let second = plan(&[config_map("both"), config_map("second")]);
    fleet.make("b", &deleting(replacing(second, &["a"])));
    fleet.run_from(1, None);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
    assert_eq!(fleet.plan("a").status.record, None);
    fleet
}

#[test]
fn waiting_plan_takes_over_objects_of_its_deleted_successor() {
    let mut fleet = never_begun(|_, _| {});
    let before = object(&fleet, &config_map("both"))["metadata"]["uid"].clone();
    fleet.delete("b");
    fleet.run_from(1, None);
    assert!(!fleet.has("b"));
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Ready));
    assert_same!(
        names(&fleet),
        ["ConfigMap harbor/both", "ConfigMap harbor/first"]
    );
    // The object existed all the time, so it does not count as an object of another user.
    assert_eq!(
        object(&fleet, &config_map("both"))["metadata"]["uid"],
        before
    );
    fleet.delete("a");
    fleet.run(None);
    assert!(fleet.plans.is_empty() && fleet.server.objects.is_empty());
}

/// The first plan cannot take objects back. The objects are deleted, because otherwise no plan
/// would own them.
#[rstest]
#[case::successor_is_suspended(|_: &mut Fleet, spec: &mut Value| spec["suspend"] = json!(true))]
#[case::successor_is_rejected(|fleet: &mut Fleet, _: &mut Value| {
    fleet.server.refuses.insert(identity(&config_map("first")));
})]
fn created_object_is_deleted_despite_a_successor_that_cannot_begin(
    #[case] change: fn(&mut Fleet, &mut Value),
) {
    let mut fleet = never_begun(change);
    fleet.delete("b");
    fleet.run(None);
    assert!(!fleet.has("b"));
    assert_eq!(fleet.plan("a").status.record, None);
    assert_same!(names(&fleet), Vec::<String>::new());
}

/// The deletion waits until it is known if the previous plan can begin.
#[test]
fn plan_in_deletion_waits_until_predecessor_is_known() {
    let mut fleet = never_begun(|_, _| {});
    fleet.delete("b");
    let uid = fleet.plan("b").uid.clone();
    let mut shells = std::collections::BTreeMap::new();
    for _ in 0..3 {
        fleet.round(&uid, &mut shells, None);
    }
    assert_same!(
        about(&fleet, "b", "Ready"),
        "Ready False Deleting this plan is deleted once a has started to replace this plan, or \
         cannot start"
    );
    assert_same!(
        names(&fleet),
        ["ConfigMap harbor/both", "ConfigMap harbor/second"]
    );
}

/// Returns a plan and its successor. Both contain the same objects, with other values, as in most
/// upgrades.
fn upgraded() -> Fleet {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("old", &deleting(plan(&["x", "y"].map(config_map))));
    fleet.run(None);
    let new = plan(&[changed("x"), config_map("y")]);
    fleet.make("new", &deleting(replacing(new, &["old"])));
    fleet.run(None);
    assert_eq!(fleet.plan("new").status.phase, Some(Phase::Ready));
    fleet
}

#[rstest]
#[case::newest_plan_first(["new", "old"])]
#[case::oldest_plan_first(["old", "new"])]
fn deleting_a_plan_and_its_predecessor_leaves_no_objects(
    #[case] order: [&str; 2],
    #[values("new", "old")] first: &str,
    #[values(false, true)] is_suspended: bool,
) {
    for turns in 0..12 {
        let mut fleet = upgraded();
        if is_suspended {
            fleet.change("old", "/suspend", json!(true));
        }
        fleet.delete(order[0]);
        let uids: Vec<_> = fleet.plans.iter().map(|plan| plan.uid.clone()).collect();
        let mut uids = uids.into_iter().cycle();
        let is_other = fleet.plans.first().is_some_and(|plan| plan.name != first);
        let mut shells = std::collections::BTreeMap::new();
        for uid in uids.by_ref().skip(usize::from(is_other)).take(turns) {
            fleet.round(&uid, &mut shells, None);
        }
        if fleet.has(order[1]) {
            fleet.delete(order[1]);
        }
        if is_suspended && fleet.has("old") {
            fleet.change("old", "/suspend", json!(false));
        }
        fleet.run(None);
        assert!(fleet.plans.is_empty(), "after {turns} turns");
        assert_eq!(names(&fleet), Vec::<String>::new(), "after {turns} turns");
    }
}

#[test]
fn plan_waits_until_its_predecessor_can_delete_objects() {
    let mut fleet = upgraded();
    fleet.delete("new");
    fleet.run(None);
    assert!(!fleet.has("new"));
    let old = fleet.plan("old");
    assert_eq!(old.status.phase, Some(Phase::Ready));
    assert!(old.has_finalizer);
    assert_same!(
        object(&fleet, &config_map("x"))["data"],
        json!({"key": "value"})
    );
}
