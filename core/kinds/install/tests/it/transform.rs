//! Tests of transformations, which delete objects that members of a plan replace.

use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{describe, run};
use crate::kit::{config_map, stage, with};
use crate::model::{End, Server, identity};
use crate::shell::Shell;

/// Returns a spec with two stages. The second stage contains the member that replaces the selected
/// objects.
fn spec(order: &str, max: u32, from: Value) -> Value {
    json!({
        "stages": [stage("first", &[config_map("a")]), stage("second", &[config_map("b")])],
        "transformations": [{
            "from": [from], "order": order, "max": max,
            "to": [{"apiVersion": "v1", "kind": "ConfigMap", "namespace": "harbor", "name": "b"}],
        }],
    })
}

fn by_label() -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "namespace": "harbor",
        "labelSelector": {"matchLabels": {"app": "ferry"}},
    })
}

fn labelled(name: &str) -> Value {
    with(
        config_map(name),
        "/metadata/labels",
        json!({"app": "ferry"}),
    )
}

fn is_there(server: &Server, name: &str) -> bool {
    server.objects.contains_key(&identity(&config_map(name)))
}

#[rstest]
#[case::after_the_stage("After", true)]
#[case::before_the_stage("Before", false)]
fn selected_objects_are_deleted_in_order(#[case] order: &str, #[case] is_new_there: bool) {
    let spec = spec(order, 20, by_label());
    let mut server = Server::new()
        .with(labelled("old"))
        .with(config_map("other"));
    let mut shell = Shell::new(&spec, &server);
    while is_there(&server, "old") {
        let before = server.writes;
        assert_eq!(shell.run(&mut server, Some(before + 1)), End::Stopped);
    }
    assert!(is_there(&server, "a"), "the stage before comes first");
    assert_eq!(is_there(&server, "b"), is_new_there);
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert!(is_there(&server, "other") && is_there(&server, "b"));
    // A transformation selects its objects only once, so it does not delete objects that are
    // created later.
    let server = server.with(labelled("late"));
    let mut server = server;
    run(&spec, &mut server);
    assert!(is_there(&server, "late"));
}

#[test]
fn named_object_is_deleted_and_no_other_with_that_name() {
    let from =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "old", "allNamespaces": true});
    let spec = spec("Before", 20, from);
    let mut server = Server::new().with(config_map("old"));
    server.hold(&config_map("old"), "ferry.example/keep");
    let said = run(&spec, &mut server);
    let waits = "ConfigMap harbor/old is being deleted, held by ferry.example/keep";
    assert_eq!(
        said[3],
        format!("Applied False Applying stage 2 of 2 (second): {waits}")
    );
    let finalizers = server.status.members.iter().flat_map(|it| &it.finalizers);
    assert_eq!(finalizers.collect::<Vec<_>>(), ["ferry.example/keep"]);
    // Another user creates a new object as soon as the old one is deleted.
    server.objects.remove(&identity(&config_map("old")));
    let mut server = server.with(config_map("old"));
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert!(is_there(&server, "old"));
}

#[test]
fn selection_above_its_limit_deletes_nothing() {
    let spec = spec("Before", 1, by_label());
    let mut server = Server::new()
        .with(labelled("old-1"))
        .with(labelled("old-2"));
    let said = run(&spec, &mut server);
    assert_eq!(
        said[3],
        "Applied False SelectionTooLarge spec.transformations[0] selects 2 objects, but max is 1; \
         nothing is deleted until fewer objects are selected: ConfigMap harbor/old-1 and \
         ConfigMap harbor/old-2"
    );
    assert_eq!(server.deleted.len(), 0);
    server.objects.remove(&identity(&config_map("old-2")));
    assert_eq!(run(&spec, &mut server)[0], "Ready");
}

/// A transformation never deletes a member of an existing plan, or of its own plan.
#[test]
fn objects_of_existing_plans_are_kept() {
    let all = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "allNamespaces": true,
        "labelSelector": {"matchExpressions": [{"key": "never", "operator": "DoesNotExist"}]},
    });
    let spec = spec("After", 20, all);
    let of = |lineage: &str| json!({"plans.portolan.dev/lineage": lineage});
    let theirs = with(config_map("theirs"), "/metadata/labels", of("u-other"));
    let orphan = with(config_map("orphan"), "/metadata/labels", of("u-gone"));
    let mut server = Server::new().with(theirs).with(orphan);
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    let left = ["a", "b", "theirs", "orphan"].map(|name| is_there(&server, name));
    assert_eq!(left, [true, true, true, false]);
}

#[test]
fn suspended_plan_deletes_no_selected_objects() {
    let mut spec = spec("Before", 20, by_label());
    spec["suspend"] = json!(true);
    let mut server = Server::new().with(labelled("old"));
    run(&spec, &mut server);
    assert!(is_there(&server, "old"));
}

/// The controller may stop at any write. The next process deletes the same objects.
#[test]
fn transformation_has_same_result_after_a_stop_at_any_write() {
    let spec = spec("Before", 20, by_label());
    for at in 1.. {
        let mut server = Server::new()
            .with(labelled("old-1"))
            .with(labelled("old-2"));
        if Shell::new(&spec, &server).run(&mut server, Some(at)) == End::Rest {
            assert!(at > 8, "{at}");
            break;
        }
        run(&spec, &mut server);
        assert_same!(describe(&server.status)[0], "Ready");
        assert_eq!(server.deleted.len(), 2);
    }
}

#[rstest]
#[case::selects_a_namespace(
    json!({"apiVersion": "v1", "kind": "Namespace", "name": "old", "allNamespaces": true}),
    "b",
    "spec.transformations[0].from[0] is a Namespace, which contains data of other users; delete \
     this object by hand",
)]
#[case::replacement_is_not_in_the_plan(
    by_label(),
    "c",
    "spec.transformations[0].to[0] is not an object of the plan; name an object of the plan"
)]
fn invalid_transformation_is_reported_first(
    #[case] from: Value,
    #[case] to: &str,
    #[case] sentence: &str,
) {
    let spec = with(
        spec("After", 20, from),
        "/transformations/0/to/0/name",
        json!(to),
    );
    let mut server = Server::new();
    let said = run(&spec, &mut server);
    assert_eq!(said[1], format!("Valid False SpecInvalid {sentence}"));
}
