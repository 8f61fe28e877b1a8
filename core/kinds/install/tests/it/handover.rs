//! Tests of plans that replace other plans.

mod order;

use portolan_api::plan::Phase;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{definition, deployment, describe, namespace, ship};
use crate::fleet::Fleet;
use crate::kit::{config_map, stage, with};
use crate::model::{Server, identity};

/// Returns a plan with these objects in one stage.
pub(crate) fn plan(manifests: &[Value]) -> Value {
    json!({"stages": [stage("all", manifests)]})
}

pub(crate) fn replacing(mut spec: Value, plans: &[&str]) -> Value {
    let names: Vec<_> = plans.iter().map(|name| json!({"name": name})).collect();
    spec["replaces"] = names.into();
    spec
}

pub(crate) fn changed(name: &str) -> Value {
    with(config_map(name), "/data", json!({"other": "new"}))
}

pub(crate) fn names(fleet: &Fleet) -> Vec<String> {
    fleet
        .server
        .objects
        .keys()
        .map(ToString::to_string)
        .collect()
}

pub(crate) fn deleted(fleet: &Fleet) -> Vec<String> {
    let deleted = fleet.server.deleted.iter();
    deleted.map(|object| identity(object).to_string()).collect()
}

pub(crate) fn reported(fleet: &Fleet, name: &str) -> Vec<String> {
    describe(&fleet.plan(name).status)
}

/// Returns the message of the condition of this type.
pub(crate) fn about(fleet: &Fleet, name: &str, type_: &str) -> String {
    let said = reported(fleet, name);
    let line = said.into_iter().find(|line| line.starts_with(type_));
    line.unwrap_or_else(|| format!("nothing of {type_}"))
}

pub(crate) fn object<'f>(fleet: &'f Fleet, manifest: &Value) -> &'f Value {
    &fleet.server.objects[&identity(manifest)]
}

/// Returns plans A and B. Plan A is ready and contains the objects `same`, `changed` and `dropped`.
/// Plan B replaces plan A, and contains `added` instead of `dropped`.
pub(crate) fn two() -> Fleet {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &plan(&["same", "changed", "dropped"].map(config_map)));
    fleet.run(None);
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Ready));
    fleet
}

pub(crate) fn second() -> Value {
    replacing(
        plan(&[config_map("same"), changed("changed"), config_map("added")]),
        &["a"],
    )
}

const BOTH: [&str; 3] = [
    "ConfigMap harbor/added",
    "ConfigMap harbor/changed",
    "ConfigMap harbor/same",
];

#[test]
fn plan_replaces_another_plan() {
    let mut fleet = two();
    let lineage = fleet.plan("a").uid.clone();
    let before = object(&fleet, &config_map("same")).clone();
    fleet.make("b", &second());
    fleet.run(None);
    assert_same!(names(&fleet), BOTH);
    assert_same!(deleted(&fleet), ["ConfigMap harbor/dropped"]);
    assert_same!(object(&fleet, &config_map("same")), &before);
    assert_same!(
        object(&fleet, &config_map("changed"))["data"],
        json!({"other": "new"})
    );
    assert_same!(
        reported(&fleet, "a"),
        [
            "Superseded",
            "Valid True PlanValid the plan is valid",
            "Permitted True PermissionsSufficient the ServiceAccount has all permissions",
            "Applied True AllApplied 3 objects were applied",
            "Ready False Superseded b replaces this plan",
            "Replaced True HandedOver b has replaced this plan",
        ]
    );
    assert_same!(
        reported(&fleet, "b")[4..],
        [
            "Ready True AllReady 3 objects are ready",
            "Replaced False NotReplaced no plan replaces this plan",
        ]
    );
    for name in ["a", "b"] {
        assert_same!(fleet.plan(name).status.lineage, Some(lineage.clone()));
        assert!(!fleet.plan(name).has_finalizer);
    }
    // No work is left. A user may delete the old plan now.
    let writes = fleet.server.writes;
    fleet.run(None);
    assert_eq!(fleet.server.writes, writes);
    fleet.delete("a");
    fleet.run(None);
    assert!(!fleet.has("a"));
    assert_same!(names(&fleet), BOTH);
}

#[test]
fn dropped_objects_exist_until_the_new_plan_is_ready() {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &plan(&[config_map("old"), config_map("same")]));
    fleet.run(None);
    fleet.server.stuck = [identity(&deployment("ferry"))].into();
    fleet.make(
        "b",
        &replacing(plan(&[config_map("same"), deployment("ferry")]), &["a"]),
    );
    fleet.run(None);
    assert_same!(deleted(&fleet), Vec::<String>::new());
    assert_same!(
        about(&fleet, "a", "Replaced"),
        "Replaced True HandingOver b replaces this plan"
    );
    // If a user deletes the old plan now, no object is deleted.
    assert!(fleet.plan("a").has_finalizer);
    fleet.delete("a");
    fleet.run(None);
    assert_same!(
        about(&fleet, "a", "Ready"),
        "Ready False Deleting b replaces this plan: this plan is deleted once b is ready and has \
         deleted the objects that only this plan created"
    );
    assert_same!(deleted(&fleet), Vec::<String>::new());
    fleet.server.stuck.clear();
    fleet.run(None);
    assert!(!fleet.has("a"));
    assert_same!(deleted(&fleet), ["ConfigMap harbor/old"]);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
}

/// The old plan is only partly applied. If it continued, it would revert the changes of the new
/// plan.
#[test]
fn old_plan_stops_before_the_new_plan_writes() {
    let mut fleet = Fleet::new(Server::new());
    let manifests = [config_map("same"), deployment("ferry"), config_map("late")];
    let stages = manifests.each_ref().map(|one| {
        let name = one["metadata"]["name"].as_str().expect("a name");
        stage(name, std::slice::from_ref(one))
    });
    fleet.server.stuck = [identity(&deployment("ferry"))].into();
    let lifecycle = json!({"onDrift": "Revert", "onDeletion": "Recreate"});
    fleet.make("a", &json!({"lifecycle": lifecycle, "stages": stages}));
    fleet.run(None);
    fleet.make("b", &replacing(plan(&[changed("same")]), &["a"]));
    fleet.server.stuck.clear();
    fleet.run_from(1, None);
    assert_same!(names(&fleet), ["ConfigMap harbor/same"]);
    assert_same!(
        object(&fleet, &changed("same"))["data"],
        json!({"other": "new"})
    );
    assert_same!(
        about(&fleet, "a", "Applied"),
        "Applied False Superseded b replaces this plan"
    );
}

#[test]
fn replaced_intermediate_plan_is_skipped() {
    let mut fleet = two();
    fleet.server.stuck = [identity(&deployment("ferry"))].into();
    fleet.make(
        "b",
        &replacing(plan(&[config_map("same"), deployment("ferry")]), &["a"]),
    );
    fleet.run(None);
    fleet.make(
        "c",
        &replacing(plan(&[config_map("same"), config_map("third")]), &["b"]),
    );
    fleet.run(None);
    assert_same!(
        names(&fleet),
        ["ConfigMap harbor/same", "ConfigMap harbor/third"]
    );
    for name in ["a", "b"] {
        assert_same!(
            about(&fleet, name, "Replaced"),
            "Replaced True HandedOver c has replaced this plan"
        );
    }
    // The middle plan was never completely applied. The next plan takes the object over from it.
    fleet.delete("c");
    fleet.server.stuck.clear();
    fleet.run(None);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
    assert_same!(
        about(&fleet, "a", "Replaced"),
        "Replaced True HandedOver b has replaced this plan"
    );
}

#[test]
fn suspended_plan_takes_over_nothing_and_keeps_its_objects() {
    let mut fleet = two();
    let mut spec = second();
    spec["suspend"] = json!(true);
    fleet.make("b", &spec);
    fleet.run(None);
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Ready));
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Suspended));
    fleet.plan_mut("b").spec["suspend"] = json!(false);
    fleet.run(None);
    fleet.plan_mut("b").spec["suspend"] = json!(true);
    fleet.run(None);
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Superseded));
    assert_same!(names(&fleet), BOTH);
}

#[test]
fn deletion_of_a_plan_waits_for_its_possible_successor() {
    let mut fleet = Fleet::new(Server::new());
    let mut spec = plan(&["same", "changed", "dropped"].map(config_map));
    spec["lifecycle"] = json!({"onPlanDeletion": "Delete"});
    fleet.make("a", &spec);
    fleet.run(None);
    let mut other = second();
    other["suspend"] = json!(true);
    fleet.make("b", &other);
    fleet.delete("a");
    fleet.run(None);
    assert_same!(
        about(&fleet, "a", "Ready"),
        "Ready False Deleting b replaces this plan, but the new plan is not valid and permitted \
         yet; delete one of the two plans, or wait"
    );
    assert_same!(deleted(&fleet), Vec::<String>::new());
    fleet.plan_mut("b").spec["suspend"] = json!(false);
    fleet.run(None);
    assert!(!fleet.has("a"));
    assert_same!(deleted(&fleet), ["ConfigMap harbor/dropped"]);
    assert_same!(names(&fleet), BOTH);
}

#[test]
fn takes_over_objects_that_a_deleted_plan_has_kept() {
    let mut fleet = two();
    let lineage = fleet.plan("a").uid.clone();
    fleet.delete("a");
    assert!(!fleet.has("a"));
    fleet.make("b", &second());
    fleet.run(None);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
    assert_same!(fleet.plan("b").status.lineage, Some(lineage));
    assert_same!(
        object(&fleet, &config_map("changed"))["data"],
        json!({"other": "new"})
    );
    // No plan contains the object any more. It is kept, because its last plan specified this.
    assert!(names(&fleet).contains(&"ConfigMap harbor/dropped".to_owned()));
    // The plan names no deleted plan in `replaces`, so it adopts no objects of deleted plans.
    fleet.delete("b");
    fleet.make("c", &plan(&[config_map("same")]));
    fleet.run(None);
    assert!(about(&fleet, "c", "Applied").starts_with("Applied False ObjectNotOwned"));
}

/// The new plan does not contain the object. The settings decide if it is deleted or kept.
#[rstest]
#[case::by_default(json!({}), true)]
#[case::resource_keeps_it(json!({"onRemoval": "Keep"}), false)]
#[case::kept_with_the_plan_but_deleted_when_dropped(json!({"onPlanDeletion": "Keep"}), true)]
fn object_missing_from_a_later_plan_is_deleted_or_kept(
    #[case] lifecycle: Value,
    #[case] goes: bool,
) {
    let mut fleet = Fleet::new(Server::new());
    let mut spec = plan(&[config_map("a"), definition(), namespace()]);
    spec["stages"][0]["order"] = json!("Any");
    spec["stages"][0]["resources"][0]["lifecycle"] = lifecycle;
    fleet.make("a", &spec);
    fleet.run(None);
    fleet.make("b", &replacing(plan(&[config_map("b")]), &["a"]));
    fleet.run(None);
    assert_eq!(
        fleet
            .server
            .objects
            .contains_key(&identity(&config_map("a"))),
        !goes
    );
    // Other users store data in these objects.
    assert!(fleet.server.objects.contains_key(&identity(&definition())));
    assert!(fleet.server.objects.contains_key(&identity(&namespace())));
    assert_same!(
        about(&fleet, "a", "Replaced"),
        "Replaced True HandedOver b has replaced this plan"
    );
}

#[test]
fn dropped_crd_waits_for_its_custom_resources() {
    let mut fleet = Fleet::new(Server::new());
    let mut spec = plan(&[namespace(), definition()]);
    spec["stages"][0]["resources"][1]["lifecycle"] = json!({"onRemoval": "Delete"});
    fleet.make("a", &spec);
    fleet.run(None);
    fleet.make("b", &replacing(plan(&[namespace(), ship("one")]), &["a"]));
    fleet.run(None);
    let why = "CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example is not deleted, \
               because Kubernetes would also delete objects that must be kept: 1 object, \
               Ship.ferry.example harbor/one; delete these objects";
    assert_same!(
        about(&fleet, "b", "Replaced"),
        format!(
            "Replaced False DeletionBlocked objects that only a has: 1 object not deleted yet: \
             {why}"
        )
    );
    assert_eq!(fleet.server.events.len(), 1);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
    assert_eq!(fleet.server.lost, Vec::<Value>::new());
}

#[test]
fn objects_found_by_the_old_plan_are_kept() {
    let mut fleet = Fleet::new(Server::new().with(config_map("found")));
    let mut spec = plan(&[config_map("found"), config_map("kept")]);
    spec["collisions"] = json!("Adopt");
    fleet.make("a", &spec);
    fleet.run(None);
    let mut second = replacing(plan(&[changed("found"), config_map("kept")]), &["a"]);
    second["lifecycle"] = json!({"onPlanDeletion": "Delete"});
    fleet.make("b", &second);
    fleet.run(None);
    fleet.make("c", &replacing(plan(&[config_map("kept")]), &["b"]));
    fleet.run(None);
    for name in ["a", "b", "c"] {
        fleet.delete(name);
    }
    fleet.run(None);
    assert!(fleet.plans.is_empty());
    assert!(names(&fleet).contains(&"ConfigMap harbor/found".to_owned()));
}

#[test]
fn permission_to_delete_dropped_objects_is_required_first() {
    let mut fleet = two();
    fleet.server.denies = ["delete"].into();
    fleet.make("b", &second());
    fleet.run(None);
    assert_same!(
        about(&fleet, "b", "Permitted"),
        r#"Permitted False PermissionMissing the ServiceAccount installer lacks rules, in namespace harbor: {"apiGroups":[""],"resources":["configmaps"],"verbs":["delete"]}; `portolan plan permissions b -n harbor` prints the roles to apply"#
    );
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Ready));
}

#[test]
fn refused_deletion_of_a_dropped_object_is_reported() {
    let mut fleet = two();
    fleet.server.refuses = [identity(&config_map("dropped"))].into();
    fleet.make("b", &second());
    fleet.run(None);
    assert_same!(
        about(&fleet, "b", "Replaced"),
        "Replaced False DeletionBlocked ConfigMap harbor/dropped is refused: it is needed"
    );
    assert_same!(
        about(&fleet, "b", "Ready True"),
        "Ready True AllReady 3 objects are ready"
    );
}

/// If both plans contain the same manifest, the object needs neither a dry run nor a write.
#[test]
fn only_changed_objects_get_dry_runs_and_writes() {
    let names: Vec<_> = (0..20).map(|at| format!("c{at}")).collect();
    let all: Vec<_> = names.iter().map(|name| config_map(name)).collect();
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &plan(&all));
    fleet.run(None);
    assert_eq!((fleet.server.trials.get(), fleet.server.applies), (20, 0));
    let mut next = all.clone();
    next[3] = changed("c3");
    next[7] = changed("c7");
    fleet.make("b", &replacing(plan(&next), &["a"]));
    fleet.run(None);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
    assert_eq!((fleet.server.trials.get(), fleet.server.applies), (22, 2));
}

/// The dry run of the changed object finds the conflict with another owner before the first write.
#[test]
fn conflict_of_a_changed_object_is_found_before_the_first_write() {
    let mut fleet = two();
    fleet.server.edit(
        &config_map("changed"),
        "/data/other",
        json!("theirs"),
        "editor",
    );
    let writes = fleet.server.applies;
    fleet.make("b", &second());
    fleet.run(None);
    assert!(about(&fleet, "b", "Applied").starts_with("Applied False FieldConflict"));
    assert_eq!(fleet.server.applies, writes);
    assert!(!names(&fleet).contains(&"ConfigMap harbor/added".to_owned()));
}
