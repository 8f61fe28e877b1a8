//! Tests of mistakes in plans. After each mistake, the objects that contain data of other users
//! must still exist.

use portolan_core_install::{Account, ObjectRef};
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{definition, describe, namespace, ship};
use crate::fleet::Fleet;
use crate::handover::replacing;
use crate::kit::{config_map, stage, with};
use crate::model::{Server, identity};
use crate::removal::{deleting, with_all};

fn claim(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "harbor", "name": name}, "spec": {"size": 1},
    })
}

/// Returns a plan with a Namespace, a CRD, a PersistentVolumeClaim and objects that depend on them.
/// Its settings delete as much as possible.
fn whole() -> Value {
    let mut spec = deleting(json!({"stages": [
        stage("definitions", &[namespace(), definition()]),
        stage("things", &[claim("hold"), ship("one"), config_map("a")]),
    ]}));
    spec["collisions"] = json!("Adopt");
    spec
}

/// Returns another plan with only these objects.
fn of(manifests: &[Value]) -> Value {
    let mut spec = deleting(json!({"stages": [stage("all", manifests)]}));
    spec["collisions"] = json!("Adopt");
    spec
}

/// Returns the uids of all objects that must never be deleted.
fn precious(fleet: &Fleet) -> Vec<Value> {
    let all = [namespace(), definition(), claim("hold"), ship("two")];
    let uids = all.iter().map(|manifest| {
        let object = fleet.server.objects.get(&identity(manifest));
        object.map_or(Value::Null, |object| object["metadata"]["uid"].clone())
    });
    uids.collect()
}

fn next(fleet: &mut Fleet, name: &str, spec: &Value) {
    fleet.make(name, spec);
    fleet.run(None);
}

fn delete(fleet: &mut Fleet, names: &[&str]) {
    for name in names {
        if fleet.has(name) {
            fleet.delete(name);
        }
        fleet.run(None);
    }
}

/// Changes a field of the object as another client.
fn change(fleet: &mut Fleet, manifest: &Value, pointer: &str, value: Value) {
    fleet.server.edit(manifest, pointer, value, "author");
}

fn the_same_object_in_two_plans(fleet: &mut Fleet) {
    next(fleet, "b", &whole());
    delete(fleet, &["a", "b"]);
}

fn two_plans_that_would_both_delete_one_definition(fleet: &mut Fleet) {
    next(fleet, "b", &with_all(of(&[definition()])));
    delete(fleet, &["b", "a"]);
}

fn a_stage_that_is_renamed(fleet: &mut Fleet) {
    let mut spec = replacing(whole(), &["a"]);
    spec["stages"][0]["name"] = json!("kinds");
    next(fleet, "b", &spec);
    delete(fleet, &["a", "b"]);
}

fn objects_that_move_between_stages(fleet: &mut Fleet) {
    let mut spec = replacing(whole(), &["a"]);
    spec["stages"] = json!([
        stage("definitions", &[definition()]),
        stage("things", &[namespace(), ship("one"), claim("hold")]),
    ]);
    next(fleet, "b", &spec);
    delete(fleet, &["a", "b"]);
}

fn a_circle_of_plans(fleet: &mut Fleet) {
    next(fleet, "b", &replacing(whole(), &["a", "c"]));
    next(fleet, "c", &replacing(of(&[config_map("a")]), &["b"]));
    delete(fleet, &["b", "c", "a"]);
}

fn a_plan_that_replaces_itself(fleet: &mut Fleet) {
    next(fleet, "b", &replacing(of(&[config_map("b")]), &["a", "b"]));
    delete(fleet, &["a", "b"]);
}

fn a_plan_that_replaces_one_of_another_namespace(fleet: &mut Fleet) {
    next(fleet, "b", &replacing(whole(), &["elsewhere"]));
    delete(fleet, &["b", "a"]);
}

fn two_plans_that_replace_the_same(fleet: &mut Fleet) {
    next(fleet, "b", &replacing(of(&[config_map("b")]), &["a"]));
    next(fleet, "c", &replacing(of(&[config_map("c")]), &["a"]));
    delete(fleet, &["b", "c", "a"]);
}

fn all_of_it_dropped(fleet: &mut Fleet) {
    next(fleet, "b", &replacing(of(&[config_map("b")]), &["a"]));
    delete(fleet, &["a", "b"]);
}

fn a_definition_that_is_dropped_though_objects_of_it_stay(fleet: &mut Fleet) {
    let mut first = with_all(whole());
    first["replaces"] = json!([{"name": "a"}]);
    next(fleet, "b", &first);
    next(
        fleet,
        "c",
        &replacing(of(&[claim("hold"), namespace()]), &["b"]),
    );
    let said = describe(&fleet.plan("c").status).join("\n");
    assert!(said.contains("Ship.ferry.example harbor/two"), "{said}");
    delete(fleet, &["b", "a", "c"]);
}

fn a_version_of_a_kind_that_is_dropped(fleet: &mut Fleet) {
    let newer = with(definition(), "/spec/versions/0/name", json!("v2"));
    next(fleet, "b", &replacing(of(&[newer, namespace()]), &["a"]));
    delete(fleet, &["a", "b"]);
}

fn a_claim_that_is_renamed(fleet: &mut Fleet) {
    next(
        fleet,
        "b",
        &replacing(of(&[namespace(), claim("cargo")]), &["a"]),
    );
    delete(fleet, &["a", "b"]);
}

fn keep_that_is_changed_to_delete_half_way(fleet: &mut Fleet) {
    let mut spec = with(whole(), "/lifecycle/onPlanDeletion", json!("Keep"));
    spec["replaces"] = json!([{"name": "a"}]);
    fleet.server.stuck.insert(identity(&definition()));
    next(fleet, "b", &spec);
    fleet.change("b", "/lifecycle/onPlanDeletion", json!("Delete"));
    delete(fleet, &["b", "a"]);
}

fn a_namespace_that_comes_after_what_lies_in_it(fleet: &mut Fleet) {
    let mut spec = replacing(whole(), &["a"]);
    spec["stages"] = json!([
        stage("things", &[claim("hold"), config_map("a")]),
        stage("definitions", &[namespace(), definition()]),
    ]);
    next(fleet, "b", &spec);
    delete(fleet, &["b", "a"]);
}

fn a_plan_that_goes_with_its_own_namespace(fleet: &mut Fleet) {
    fleet.server.account = Account::Leaving;
    delete(fleet, &["a"]);
}

fn resources_that_go_whatever_their_plan_says(fleet: &mut Fleet) {
    let mut spec = replacing(whole(), &["a"]);
    for stage in spec["stages"].as_array_mut().expect("stages") {
        for resource in stage["resources"].as_array_mut().expect("resources") {
            resource["lifecycle"] = json!({"onPlanDeletion": "Delete"});
        }
    }
    next(fleet, "b", &spec);
    delete(fleet, &["a", "b"]);
}

fn a_namespace_that_goes_with_others_in_it(fleet: &mut Fleet) {
    let mut spec = with_all(of(&[namespace()]));
    spec["replaces"] = json!([{"name": "a"}]);
    next(fleet, "b", &spec);
    delete(fleet, &["a", "b"]);
    let said = describe(&fleet.plan("b").status).join("\n");
    assert!(said.contains("Namespace harbor Held"), "{said}");
}

fn a_transformation_of_what_has_data(fleet: &mut Fleet) {
    let of_kind = |manifest: &Value| {
        let mut one = json!({
            "apiVersion": manifest["apiVersion"], "kind": manifest["kind"],
            "name": manifest["metadata"]["name"],
        });
        match &manifest["metadata"]["namespace"] {
            Value::Null => one["allNamespaces"] = json!(true),
            namespace => one["namespace"] = namespace.clone(),
        }
        one
    };
    let from = [namespace(), definition(), claim("hold")].map(|one| of_kind(&one));
    let mut spec = of(&[config_map("b")]);
    spec["transformations"] = json!([{"from": from, "to": [of_kind(&config_map("b"))]}]);
    next(fleet, "b", &spec);
    assert_eq!(describe(&fleet.plan("b").status)[0], "Invalid");
    delete(fleet, &["b"]);
}

fn what_is_found_and_taken_for_the_plans_own(fleet: &mut Fleet) {
    next(
        fleet,
        "b",
        &with(whole(), "/lifecycle/onFound", json!("Own")),
    );
    delete(fleet, &["b", "a"]);
}

fn a_plan_that_is_deleted_and_made_again(fleet: &mut Fleet) {
    delete(fleet, &["a"]);
    next(fleet, "a", &whole());
    delete(fleet, &["a"]);
}

fn a_next_version_that_is_refused(fleet: &mut Fleet) {
    fleet.server.refuses.insert(identity(&definition()));
    next(fleet, "b", &replacing(whole(), &["a"]));
    delete(fleet, &["a", "b"]);
}

fn a_copy_of_a_member_with_its_labels(fleet: &mut Fleet) {
    let lineage = fleet.plan("a").uid.clone();
    let label = "/metadata/labels";
    let labels = json!({"plans.portolan.dev/lineage": lineage});
    change(fleet, &ship("two"), label, labels);
    delete(fleet, &["a"]);
}

fn a_label_that_is_taken_off(fleet: &mut Fleet) {
    for manifest in [namespace(), definition(), claim("hold")] {
        change(fleet, &manifest, "/metadata/labels", Value::Null);
    }
    delete(fleet, &["a"]);
}

fn a_plan_that_lets_go_half_way(fleet: &mut Fleet) {
    fleet.server.stuck.insert(identity(&definition()));
    next(fleet, "b", &with_all(replacing(whole(), &["a"])));
    fleet.plan_mut("b").is_abandoned = true;
    delete(fleet, &["b", "a"]);
}

#[rstest]
#[case(the_same_object_in_two_plans)]
#[case(two_plans_that_would_both_delete_one_definition)]
#[case(a_stage_that_is_renamed)]
#[case(objects_that_move_between_stages)]
#[case(a_circle_of_plans)]
#[case(a_plan_that_replaces_itself)]
#[case(a_plan_that_replaces_one_of_another_namespace)]
#[case(two_plans_that_replace_the_same)]
#[case(all_of_it_dropped)]
#[case(a_definition_that_is_dropped_though_objects_of_it_stay)]
#[case(a_version_of_a_kind_that_is_dropped)]
#[case(a_claim_that_is_renamed)]
#[case(keep_that_is_changed_to_delete_half_way)]
#[case(a_namespace_that_comes_after_what_lies_in_it)]
#[case(a_plan_that_goes_with_its_own_namespace)]
#[case(resources_that_go_whatever_their_plan_says)]
#[case(a_namespace_that_goes_with_others_in_it)]
#[case(a_transformation_of_what_has_data)]
#[case(what_is_found_and_taken_for_the_plans_own)]
#[case(a_plan_that_is_deleted_and_made_again)]
#[case(a_next_version_that_is_refused)]
#[case(a_copy_of_a_member_with_its_labels)]
#[case(a_label_that_is_taken_off)]
#[case(a_plan_that_lets_go_half_way)]
fn user_mistake_deletes_no_object_with_data(#[case] mistake: fn(&mut Fleet)) {
    let mut fleet = Fleet::new(Server::new());
    next(&mut fleet, "a", &whole());
    assert_eq!(describe(&fleet.plan("a").status)[0], "Ready");
    fleet.server = std::mem::replace(&mut fleet.server, Server::new()).with(ship("two"));
    let before = precious(&fleet);
    assert!(before.iter().all(Value::is_string), "{before:?}");
    mistake(&mut fleet);
    assert_eq!(precious(&fleet), before);
    assert_eq!(fleet.server.lost, Vec::<Value>::new());
    let kept: Vec<ObjectRef> = [namespace(), definition(), claim("hold"), ship("two")]
        .iter()
        .map(identity)
        .collect();
    let mut deleted = fleet.server.deleted.iter().map(identity);
    assert!(!deleted.any(|object| kept.contains(&object)));
}
