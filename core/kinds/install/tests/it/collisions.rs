//! Tests of objects that exist before a plan creates them, and of fields that other managers own.

use std::collections::BTreeMap;

use portolan_api::plan::{MemberState, Phase};
use portolan_core_install::{OlmDefinitions, manager};
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{definition, managers, run};
use crate::kit::{config_map, stage, with};
use crate::model::{End, LINEAGE, Server, identity};
use crate::shell::Shell;

fn owned(labels: Value) -> Value {
    with(
        with(config_map("a"), "/metadata/labels", labels),
        "/data",
        json!({"key": "old"}),
    )
}

fn found(server: &Server) -> BTreeMap<String, String> {
    server.status.record.clone().expect("a record").found
}

fn uid(object: &Value) -> String {
    let uid = object["metadata"]["uid"].as_str();
    uid.expect("a uid").to_owned()
}

const OWNED: &str = "has fields whose values differ from the manifest: .data.key of \"somebody\"; \
                     set spec.collisions to Adopt, or remove these fields from the manifest";
const BY_NOBODY: &str =
    "already exists, and no plan created it; remove it, or set spec.collisions to IfUnowned";
const BY_KAPP: &str =
    "already exists, and belongs to the kapp app x; remove it, or set spec.collisions to Adopt";
const BY_A_PLAN: &str = "already exists, and belongs to the InstallPlan harbor/other; remove it, \
                         or set spec.collisions to Adopt";

#[rstest]
#[case::without_owner("Refuse", json!({}), Some(BY_NOBODY))]
#[case::of_another_owner("Refuse", json!({"kapp.k14s.io/app": "x"}), Some(BY_KAPP))]
#[case::of_another_owner_if_unowned("IfUnowned", json!({"kapp.k14s.io/app": "x"}), Some(BY_KAPP))]
#[case::of_an_existing_plan("IfUnowned", json!({"plans.portolan.dev/lineage": "u-other"}), Some(BY_A_PLAN))]
#[case::adopted_from_a_deleted_plan("Adopt", json!({"plans.portolan.dev/lineage": "u-gone"}), None)]
#[case::adopted("Adopt", json!({"kapp.k14s.io/app": "x"}), None)]
fn existing_object_is_reported_as_collision(
    #[case] collisions: &str,
    #[case] labels: Value,
    #[case] refusal: Option<&str>,
) {
    let before = owned(labels);
    let mut server = Server::new().with(before.clone());
    let spec = json!({"collisions": collisions, "stages": [stage("one", &[config_map("a")])]});
    let said = run(&spec, &mut server);
    let object = &server.objects[&identity(&before)];
    match refusal {
        Some(sentence) => {
            assert_same!(
                said[3..],
                [
                    format!("Applied False ObjectNotOwned 1 object: ConfigMap harbor/a {sentence}"),
                    "Ready False Waiting waiting until the plan is applied".to_owned(),
                    format!("- one[0] ConfigMap harbor/a Refused: {sentence}"),
                ]
            );
            assert_eq!(object["data"]["key"], "old");
        }
        None => {
            assert_same!(said[0], "Ready");
            assert_eq!(object["data"]["key"], "value");
            assert_eq!(found(&server), [("0".to_owned(), uid(object))].into());
        }
    }
}

#[test]
fn reports_fields_of_other_owners_before_the_first_write() {
    let mut server = Server::new().with(owned(json!({"app": "x"})));
    let all = ["before", "a", "behind"].map(config_map);
    let spec = json!({"collisions": "IfUnowned", "stages": [stage("one", &all)]});
    assert_same!(
        run(&spec, &mut server)[3..],
        [
            format!("Applied False FieldConflict 1 object: ConfigMap harbor/a {OWNED}"),
            "Ready False Waiting waiting until the plan is applied".to_owned(),
            format!("- one[1] ConfigMap harbor/a Refused: {OWNED}"),
        ]
    );
    let object = &server.objects[&identity(&config_map("a"))];
    assert_eq!(object["data"]["key"], "old");
    // The plan finds the object before its first write.
    assert_eq!(server.objects.len(), 1);
}

#[test]
fn takes_over_object_with_equal_values_without_force() {
    let mut server = Server::new().with(config_map("a"));
    let spec = json!({"collisions": "IfUnowned", "stages": [stage("one", &[config_map("a")])]});
    assert_same!(run(&spec, &mut server)[0], "Ready");
    let object = &server.objects[&identity(&config_map("a"))];
    let ours = format!("{} Apply", manager(LINEAGE));
    assert_same!(managers(object), [ours, "somebody Update".to_owned()]);
}

/// Both writes may happen in the same second, so that the managed fields do not show the second
/// write.
#[rstest]
#[case::write_in_a_later_second(Some("later"))]
#[case::write_in_the_same_second(None)]
fn takes_over_object_once_its_values_are_equal(#[case] time: Option<&str>) {
    let mut server = Server::new().with(owned(json!({"app": "x"})));
    let spec = json!({"collisions": "IfUnowned", "stages": [stage("one", &[config_map("a")])]});
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_eq!(server.status.phase, Some(Phase::Pending));
    let object = server
        .objects
        .get_mut(&identity(&config_map("a")))
        .expect("it");
    object["data"]["key"] = json!("value");
    object["metadata"]["resourceVersion"] = json!("later");
    if let Some(time) = time {
        object["metadata"]["managedFields"][0]["time"] = json!(time);
    }
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_eq!(server.status.phase, Some(Phase::Ready));
}

#[test]
fn records_existing_object_before_it_adopts_the_object() {
    let spec = json!({"collisions": "IfUnowned", "stages": [stage("one", &[config_map("a")])]});
    let mut server = Server::new();
    assert_eq!(
        Shell::new(&spec, &server).run(&mut server, Some(1)),
        End::Stopped
    );
    let mut server = server.with(config_map("a"));
    assert_eq!(
        Shell::new(&spec, &server).run(&mut server, Some(2)),
        End::Stopped
    );
    let object = &server.objects[&identity(&config_map("a"))];
    assert_same!(managers(object), ["somebody Update"]);
    assert_eq!(found(&server), [("0".to_owned(), uid(object))].into());
    assert_same!(run(&spec, &mut server)[0], "Ready");
}

#[test]
fn object_created_by_another_client_meanwhile_is_not_overwritten() {
    let spec = json!({"stages": [stage("one", &[config_map("a")])]});
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, Some(1)), End::Stopped);
    let mut server = server.with(owned(json!({})));
    let said = run(&spec, &mut server);
    assert_same!(
        said[3],
        format!("Applied False ObjectNotOwned stage 1 of 1 (one): ConfigMap harbor/a {BY_NOBODY}")
    );
    assert_same!(server.status.members[0].state, MemberState::Refused);
}

const OLM: &str = "operators.coreos.com/v1alpha1";

#[rstest]
#[case::owner_reference(
    json!({"ownerReferences": [{"apiVersion": OLM, "kind": "ClusterServiceVersion", "name": "ferry.v1", "controller": false}]}),
    Some("the ClusterServiceVersion ferry.v1")
)]
#[case::owner_reference_without_controller_field(
    json!({"ownerReferences": [{"apiVersion": OLM, "kind": "ClusterServiceVersion", "name": "ferry.v1"}]}),
    Some("the ClusterServiceVersion ferry.v1")
)]
#[case::cluster_scoped_owner(json!({"labels": {"olm.owner": "ferry.v1"}}), Some("OLM, for ferry.v1"))]
#[case::owner_without_a_name(json!({"labels": {"olm.managed": "true"}}), Some("OLM"))]
#[case::released_object(json!({"labels": {"olm.managed": "false"}}), None)]
#[case::another_kind_with_the_same_name(
    json!({"ownerReferences": [{"apiVersion": "v1", "kind": "ClusterServiceVersion", "name": "a"}]}),
    None
)]
#[case::owner_that_is_not_the_controller(
    json!({"ownerReferences": [{"apiVersion": OLM, "kind": "OperatorGroup", "name": "a"}]}),
    None
)]
fn if_unowned_reports_the_owner_of_an_existing_object(
    #[case] metadata: Value,
    #[case] owner: Option<&str>,
) {
    let mut object = config_map("a");
    for (field, value) in metadata.as_object().expect("fields") {
        object["metadata"][field] = value.clone();
    }
    let mut server = Server::new().with(object);
    let spec = json!({"collisions": "IfUnowned", "stages": [stage("one", &[config_map("a")])]});
    let expected = owner.map_or_else(
        || "Applied True AllApplied 1 object was applied".to_owned(),
        |owner| {
            format!(
                "Applied False ObjectNotOwned 1 object: ConfigMap harbor/a already exists, and \
                 belongs to {owner}; remove it, or set spec.collisions to Adopt"
            )
        },
    );
    assert_same!(run(&spec, &mut server)[3], expected);
}

#[rstest]
#[case::unowned(json!({}), None)]
#[case::plan(
    json!({"labels": {"plans.portolan.dev/lineage": "u-other"}}),
    Some(["plans.portolan.dev", "InstallPlan", "harbor", "other"])
)]
#[case::controller(
    json!({"ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "ferry", "controller": true}]}),
    Some(["apps", "Deployment", "", "ferry"])
)]
#[case::helm(
    json!({"annotations": {"meta.helm.sh/release-name": "ferry", "meta.helm.sh/release-namespace": "pier"}}),
    Some(["", "Helm", "pier", "ferry"])
)]
#[case::flux(
    json!({"labels": {"helm.toolkit.fluxcd.io/name": "ferry", "helm.toolkit.fluxcd.io/namespace": "flux"}}),
    Some(["helm.toolkit.fluxcd.io", "HelmRelease", "flux", "ferry"])
)]
#[case::olm(json!({"labels": {"olm.managed": "true"}}), Some(["", "OLM", "", ""]))]
fn status_has_a_field_for_the_owner_of_an_existing_object(
    #[case] metadata: Value,
    #[case] expected: Option<[&str; 4]>,
) {
    let mut object = config_map("a");
    for (field, value) in metadata.as_object().expect("fields") {
        object["metadata"][field] = value.clone();
    }
    let mut server = Server::new().with(object);
    let spec = json!({"stages": [stage("one", &[config_map("a")])]});
    run(&spec, &mut server);
    let owner = server.status.members[0].owner.clone();
    let owner = owner.map(|it| [it.group, it.kind, it.namespace.unwrap_or_default(), it.name]);
    assert_eq!(owner, expected.map(|it| it.map(str::to_owned)));
}

/// An annotation may be long, but the size of a status is limited, so the status truncates the
/// owner.
#[test]
fn owner_in_a_status_is_truncated() {
    let name = "x".repeat(5_000);
    let annotations = json!({"argocd.argoproj.io/tracking-id": name});
    let object = with(config_map("a"), "/metadata/annotations", annotations);
    let mut server = Server::new().with(object);
    let spec = json!({"stages": [stage("one", &[config_map("a")])]});
    run(&spec, &mut server);
    let owner = server.status.members[0].owner.clone().expect("an owner");
    assert_eq!((owner.kind.as_str(), owner.name.len()), ("Argo CD", 256));
}

#[rstest]
#[case::no_fields("Refuse")]
#[case::fields_without_owner("IfUnowned")]
#[case::all_fields("Adopt")]
fn takes_no_fields_by_force_if_their_owners_are_unknown(#[case] collisions: &str) {
    let mut server = Server::new().with(owned(json!({"plans.portolan.dev/lineage": LINEAGE})));
    server.names_owners = false;
    let spec = json!({"collisions": collisions, "stages": [stage("one", &[config_map("a")])]});
    assert_same!(
        run(&spec, &mut server)[3],
        "Applied False FieldConflict 1 object: ConfigMap harbor/a has fields whose values differ \
         from the manifest, and the API server does not report the owners of these fields"
    );
    let object = &server.objects[&identity(&config_map("a"))];
    assert_eq!(object["data"]["key"], "old");
}

/// Returns a plan that has recorded an existing object and has not written any object yet.
fn begun() -> (Value, Server) {
    let spec = json!({"collisions": "IfUnowned", "stages": [stage("one", &[config_map("a")])]});
    let same = with(config_map("a"), "/metadata/labels", json!({"app": "x"}));
    let mut server = Server::new().with(same);
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, Some(1)), End::Stopped);
    assert_eq!(found(&server).len(), 1);
    server.edit(&config_map("a"), "/data/key", json!("old"), "somebody");
    (spec, server)
}

#[test]
fn new_object_with_same_name_does_not_count_as_found() {
    let (mut spec, server) = begun();
    spec["collisions"] = json!("Refuse");
    let mut server = server.with(owned(json!({})));
    let said = run(&spec, &mut server);
    let expected =
        format!("Applied False ObjectNotOwned stage 1 of 1 (one): ConfigMap harbor/a {BY_NOBODY}");
    assert_same!(said[3], expected);
    assert_eq!(found(&server), BTreeMap::new());
}

#[test]
fn object_claimed_after_it_was_found_is_not_adopted() {
    let (spec, mut server) = begun();
    let object = server
        .objects
        .get_mut(&identity(&config_map("a")))
        .expect("it");
    object["metadata"]["labels"]["kapp.k14s.io/app"] = json!("x");
    object["data"]["key"] = json!("value");
    let said = run(&spec, &mut server);
    let expected =
        format!("Applied False ObjectNotOwned stage 1 of 1 (one): ConfigMap harbor/a {BY_KAPP}");
    assert_same!(said[3], expected);
    let object = &server.objects[&identity(&config_map("a"))];
    assert_same!(managers(object), ["somebody Update"]);
}

#[test]
fn object_recreated_by_the_plan_does_not_count_as_found() {
    let (spec, mut server) = begun();
    server.objects.clear();
    assert_same!(run(&spec, &mut server)[0], "Ready");
    assert_eq!(found(&server), BTreeMap::new());
}

/// For example, the API server does not serve the version of the object for a while.
#[test]
fn temporarily_unreadable_object_still_counts_as_found() {
    let (mut spec, mut server) = begun();
    spec["collisions"] = json!("Adopt");
    assert_same!(run(&spec, &mut server)[0], "Ready");
    let name = identity(&config_map("a"));
    let object = server.objects.remove(&name).expect("it");
    run(&spec, &mut server);
    server.objects.insert(name, object);
    run(&spec, &mut server);
    assert_eq!(found(&server).len(), 1);
}

#[test]
fn suspended_plan_adopts_no_objects() {
    let mut spec = json!({"collisions": "IfUnowned", "stages": [stage("one", &[config_map("a")])]});
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, Some(1)), End::Stopped);
    let mut server = server.with(config_map("a"));
    spec["suspend"] = json!(true);
    assert_same!(run(&spec, &mut server)[0], "Suspended");
    assert_eq!(found(&server), BTreeMap::new());
}

/// Another manager keeps writing the object, so several applies fail.
#[rstest]
#[case::by_its_controller("controller", 1)]
#[case::by_the_conflicting_manager("somebody", 3)]
fn constantly_changed_object_is_reported(#[case] manager: &'static str, #[case] applies: usize) {
    let (spec, mut server) = begun();
    server.restless = [(identity(&config_map("a")), manager)].into();
    let said = run(&spec, &mut server);
    assert_same!(
        said[5],
        format!("- one[0] ConfigMap harbor/a Refused: {OWNED}")
    );
    assert_eq!(server.applies, applies);
}

/// If OLM removes an operator, it keeps the CRDs and their label. The label is therefore no
/// evidence.
#[rstest]
#[case::no_csv_owns_it(OlmDefinitions::Owned([].into()), None)]
#[case::a_csv_owns_it(OlmDefinitions::Owned(["ship.ferry.example".to_owned()].into()), Some(BY_OLM))]
#[case::owner_is_unknown(OlmDefinitions::Unknown, Some(BY_OLM))]
fn crd_belongs_to_olm_while_a_csv_owns_it(
    #[case] owned: OlmDefinitions,
    #[case] refusal: Option<&str>,
) {
    let labels = json!({"olm.managed": "true"});
    let mut server = Server::new().with(with(definition(), "/metadata/labels", labels));
    server.olm_definitions = owned;
    let spec = json!({"collisions": "IfUnowned", "stages": [stage("one", &[definition()])]});
    run(&spec, &mut server);
    let told = server.status.members.first();
    assert_eq!(told.map(|told| told.message.as_str()), refusal);
}

/// If OLM removes an operator, it keeps the CRDs and their roles. Only the CRDs that a
/// ClusterServiceVersion owns belong to OLM.
#[rstest]
#[case::no_csv_owns_the_crd(OlmDefinitions::Owned([].into()), true, None)]
#[case::a_csv_owns_the_crd(OlmDefinitions::Owned(["ship.ferry.example".to_owned()].into()), true, Some(BY_OLM_ALONE))]
#[case::owner_is_unknown(OlmDefinitions::Unknown, true, Some(BY_OLM_ALONE))]
#[case::role_has_another_owner(OlmDefinitions::Owned([].into()), false, Some(BY_OLM_ALONE))]
fn role_of_a_crd_belongs_to_olm_while_a_csv_owns_the_crd(
    #[case] owned: OlmDefinitions,
    #[case] is_only_owner: bool,
    #[case] refusal: Option<&str>,
) {
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "customresourcedefinition",
        "name": "ship.ferry.example", "uid": "1",
    });
    let other = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "2"});
    let mut owners = vec![crd, other];
    owners.truncate(if is_only_owner { 1 } else { 2 });
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "ship.ferry.example-v1-view"}, "rules": [],
    });
    let there = with(
        role.clone(),
        "/metadata/labels",
        json!({"olm.managed": "true"}),
    );
    let there = with(there, "/metadata/ownerReferences", json!(owners));
    let mut server = Server::new().with(there);
    server.olm_definitions = owned;
    let spec = json!({"collisions": "IfUnowned", "stages": [stage("one", &[role])]});
    run(&spec, &mut server);
    let told = server.status.members.first();
    assert_eq!(told.map(|told| told.message.as_str()), refusal);
}

const BY_OLM_ALONE: &str =
    "already exists, and belongs to OLM; remove it, or set spec.collisions to Adopt";
const BY_OLM: &str = "already exists, and belongs to OLM; set spec.collisions to Adopt";
