//! Tests of operators that are installed without OLM.

use portolan_core_installed::{Event, Original, Resource, Unreadable};
use rstest::rstest;
use serde_json::{Value, json};

use crate::world::{World, csv, group, namespace, operator, stored};

const EARLY: &str = "2026-01-01T00:00:00Z";

/// Returns a world with the operator `tug` of package `tugs`. It watches one of two namespaces.
fn tug() -> World {
    World::of([
        namespace("a", json!({})),
        namespace("b", json!({})),
        operator("tug", "tug-1", "True"),
        stored("tug-1", "tugs", "tug.v1.0.0", "a"),
    ])
}

fn cells(world: &World, namespace: &str, name: &str) -> String {
    let found = world.index.snapshot().get(namespace, name);
    found.expect("an Installed").cells().join(" | ")
}

fn json(world: &World, namespace: &str, name: &str) -> Value {
    let found = world.index.snapshot().get(namespace, name);
    let found = found.expect("an Installed");
    serde_json::from_str(&found.to_json(portolan_core_installed::SubscriptionDetail::Limited))
        .expect("JSON")
}

#[test]
fn operator_without_olm_is_shown_in_its_target_namespaces() {
    let mut world = tug();
    assert_eq!(world.names(), ["a/tug.v1.0.0"]);
    assert_eq!(
        cells(&world, "a", "tug.v1.0.0"),
        "tug.v1.0.0 | tugs | <none> | 1.0.0 | 1.1.0 | Succeeded | tugs | <none> | as Ready says"
    );
    let first = json(&world, "a", "tug.v1.0.0");
    assert_eq!(
        first["metadata"]["labels"],
        json!({
            "operators.coreos.com/csv": "tug.v1.0.0",
            "operators.portolan.dev/operator": "tug",
            "team": "red",
        })
    );
    assert_eq!(first["metadata"]["creationTimestamp"], EARLY);
    assert_eq!(first["status"]["subscription"], Value::Null);
    let status = &first["status"]["clusterServiceVersion"]["status"];
    let wanted = json!({"phase": "Succeeded", "message": "as Ready says"});
    assert_eq!(*status, wanted);

    // The next plan has the same version, so it belongs to the same operator, although it watches
    // other namespaces. A plan with another version would belong to another operator.
    world.put(stored("tug-2", "tugs", "tug.v1.0.0", ""));
    world.put(operator("tug", "tug-2", "True"));
    assert_eq!(world.names(), ["a/tug.v1.0.0", "b/tug.v1.0.0"]);
    let second = json(&world, "a", "tug.v1.0.0");
    assert_eq!(first["metadata"]["uid"], second["metadata"]["uid"]);
    world.put(stored("tug-3", "tugs", "tug.v1.1.0", "b"));
    world.put(operator("tug", "tug-3", "False"));
    assert_eq!(world.names(), ["b/tug.v1.1.0"]);
    let third = json(&world, "b", "tug.v1.1.0");
    assert_ne!(third["metadata"]["uid"], second["metadata"]["uid"]);
    assert_eq!(
        cells(&world, "b", "tug.v1.1.0"),
        "tug.v1.1.0 | tugs | <none> | 1.1.0 | 1.1.0 | Installing | tugs | <none> | as Ready says"
    );
}

#[test]
fn operator_without_olm_is_shown_once_both_objects_exist() {
    let mut world = World::of([namespace("a", json!({}))]);
    assert_eq!(world.put(operator("tug", "tug-1", "True")).events(), []);
    let batch = world.put(stored("tug-1", "tugs", "tug.v1.0.0", "a"));
    assert!(
        matches!(&batch.events()[..], [Event::Added(_)]),
        "{batch:?}"
    );
    assert_eq!(batch.resource, Resource::ResourceManifests);
    let mut again = operator("tug", "tug-1", "True");
    again["metadata"]["resourceVersion"] = json!("7");
    assert_eq!(world.put(again).events(), [], "the change is not visible");
    let batch = world.delete(&operator("tug", "tug-1", "True"));
    assert!(
        matches!(&batch.events()[..], [Event::Deleted(_)]),
        "{batch:?}"
    );
}

#[test]
fn operator_of_olm_hides_operator_without_olm_of_the_same_name() {
    let mut world = tug();
    world.put(group("tugs", "g", json!({}), json!(["b"])));
    assert_eq!(
        world.names(),
        ["a/tug.v1.0.0"],
        "an OperatorGroup does not affect it"
    );
    world.put(csv("tugs", "tug.v1.0.0", EARLY));
    assert_eq!(world.names(), ["b/tug.v1.0.0"]);
    world.delete(&csv("tugs", "tug.v1.0.0", EARLY));
    assert_eq!(world.names(), ["a/tug.v1.0.0"]);
}

#[rstest]
#[case::works(json!([["Ready", "True", "Installed"], ["Installing", "False", "UpToDate"]]), "Succeeded")]
#[case::is_being_installed(json!([["Ready", "False", "NotReady"], ["Installing", "True", "Applying"]]), "Installing")]
#[case::has_no_conditions(json!([]), "Installing")]
#[case::does_not_come(json!([["Ready", "False", "NotReady"], ["Installing", "False", "InstallFailed"]]), "Failed")]
#[case::is_taken_back(json!([["Ready", "False", "NotReady"], ["Installing", "True", "Reverting"]]), "Failed")]
fn phase_is_derived_from_the_conditions_of_the_operator(
    #[case] conditions: Value,
    #[case] phase: &str,
) {
    let mut tug = operator("tug", "tug-1", "True");
    let conditions = conditions.as_array().expect("conditions").iter().map(|it| {
        json!({"type": it[0], "status": it[1], "reason": it[2], "message": "m",
            "lastTransitionTime": EARLY})
    });
    tug["status"]["conditions"] = conditions.collect();
    let read = Original::read(Resource::Operators, &tug.to_string());
    let Ok(Original::Operator(read)) = read else {
        panic!("{read:?}");
    };
    assert_eq!(read.phase, phase);
    tug["metadata"]["deletionTimestamp"] = json!(EARLY);
    let read = Original::read(Resource::Operators, &tug.to_string());
    assert!(matches!(read, Ok(Original::Operator(it)) if it.phase == "Deleting"));
}

#[test]
fn manifest_with_wrong_digest_is_not_shown() {
    let mut other = stored("tug-1", "tugs", "tug.v1.0.0", "a");
    other["spec"]["manifest"]["metadata"]["name"] = json!("other");
    let read = Original::read(Resource::ResourceManifests, &other.to_string());
    let why = "its content does not match its digest".to_owned();
    assert_eq!(read, Err(Unreadable::NoCsv(why)));
}
