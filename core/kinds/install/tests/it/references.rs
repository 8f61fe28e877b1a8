//! Tests of plans whose manifests are in Secrets. The Secrets are deleted or replaced before the
//! plan.

use portolan_api::plan::{Intent, Phase, Record};
use portolan_core_install::Members;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{definition, ship};
use crate::fleet::Fleet;
use crate::handover::{about, names, replacing};
use crate::kit::{config_map, intent, plan_identity, with};
use crate::model::Server;

/// Returns a plan with a CRD, one ship of this kind, and the object `inline`. Secrets store the
/// manifests of the CRD and the ship.
fn spec() -> Value {
    let removed = json!({"onRemoval": "Delete"});
    json!({
        "lifecycle": {"onPlanDeletion": "Delete"},
        "stages": [{"name": "all", "resources": [
            {"ref": {"secret": "definition"}, "lifecycle": removed},
            {"ref": {"secret": "ship"}},
            {"manifest": config_map("inline")},
        ]}],
    })
}

/// Returns the plan after it has become ready.
fn ready() -> Fleet {
    let mut fleet = Fleet::new(Server::new());
    fleet.server.secrets = [
        ("definition".to_owned(), definition()),
        ("ship".to_owned(), ship("one")),
    ]
    .into();
    fleet.make("old", &spec());
    fleet.run(None);
    assert_eq!(fleet.plan("old").status.phase, Some(Phase::Ready));
    fleet
}

#[rstest]
#[case::one_secret_is_deleted(|fleet: &mut Fleet| drop(fleet.server.secrets.remove("ship")))]
#[case::all_secrets_are_deleted(|fleet: &mut Fleet| fleet.server.secrets.clear())]
#[case::secrets_are_replaced(|fleet: &mut Fleet| {
    fleet.server.secrets.insert("ship".to_owned(), ship("two"));
})]
fn plan_without_its_secrets_deletes_its_objects(#[case] change: fn(&mut Fleet)) {
    let mut fleet = ready();
    fleet.server = std::mem::replace(&mut fleet.server, Server::new()).with(ship("two"));
    let two = crate::model::identity(&ship("two"));
    change(&mut fleet);
    fleet.delete("old");
    fleet.run(None);
    // Kubernetes would delete the ship of another user together with the CRD, so nothing is
    // deleted.
    let why = about(&fleet, "old", "Ready");
    assert!(
        why.contains("1 object, Ship.ferry.example harbor/two"),
        "{why}"
    );
    assert_eq!(names(&fleet).len(), 4);
    fleet.server.objects.remove(&two);
    fleet.server.later(60);
    fleet.run(None);
    assert!(fleet.plans.is_empty());
    assert_same!(names(&fleet), Vec::<String>::new());
    assert_eq!(fleet.server.lost, Vec::<Value>::new());
}

#[test]
fn new_version_replaces_a_plan_whose_secret_is_missing() {
    let mut fleet = ready();
    fleet.server.secrets.remove("ship");
    let new = json!({
        "lifecycle": {"onPlanDeletion": "Delete"},
        "stages": [{"name": "all", "resources": [
            {"ref": {"secret": "definition"}, "lifecycle": {"onRemoval": "Delete"}},
            {"manifest": config_map("new")},
        ]}],
    });
    fleet.make("new", &replacing(new, &["old"]));
    fleet.delete("old");
    fleet.run(None);
    assert!(!fleet.has("old"));
    assert_same!(
        names(&fleet),
        [
            "ConfigMap harbor/new",
            "CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example",
        ]
    );
    fleet.delete("new");
    fleet.run(None);
    assert_same!(names(&fleet), Vec::<String>::new());
}

/// The earlier plan can no longer apply its objects, because a Secret is missing. It can still
/// delete the objects that the plans created.
#[test]
fn plan_gives_objects_back_to_plan_with_missing_secret() {
    let mut fleet = ready();
    fleet.make("new", &replacing(spec(), &["old"]));
    fleet.run(None);
    assert!(!fleet.plan("old").has_finalizer);
    fleet.server.secrets.clear();
    fleet.delete("new");
    fleet.run(None);
    assert!(!fleet.has("new") && fleet.plan("old").has_finalizer);
    fleet.delete("old");
    fleet.run(None);
    assert!(fleet.plans.is_empty());
    assert_same!(names(&fleet), Vec::<String>::new());
}

/// Earlier versions of the controller did not record the references of a plan.
#[test]
fn plan_without_a_record_of_its_references_waits_for_its_secret() {
    let mut fleet = ready();
    let record = fleet.plan_mut("old").status.record.as_mut();
    record.expect("a record").referenced = String::new();
    let kept = fleet.server.secrets.remove("ship").expect("a Secret");
    fleet.delete("old");
    fleet.run(None);
    assert!(
        about(&fleet, "old", "Ready")
            .contains("DeletionBlocked the objects that the plan created are unknown")
    );
    fleet.server.secrets.insert("ship".to_owned(), kept);
    fleet.run(None);
    assert!(fleet.plans.is_empty());
    assert_same!(names(&fleet), Vec::<String>::new());
}

#[test]
fn plan_whose_secret_is_missing_is_not_ready() {
    let mut fleet = ready();
    let kept = fleet.server.secrets.remove("ship").expect("a Secret");
    fleet.run(None);
    assert_eq!(fleet.plan("old").status.phase, Some(Phase::Applied));
    let why = "NotObserved the objects are not checked: spec.stages[0].resources[1] refers to the \
               Secret ship, which does not exist";
    assert_same!(about(&fleet, "old", "Ready"), format!("Ready False {why}"));
    assert_same!(
        about(&fleet, "old", "Drifted"),
        format!("Drifted Unknown {why}")
    );
    fleet.server.secrets.insert("ship".to_owned(), kept);
    fleet.run(None);
    assert_eq!(fleet.plan("old").status.phase, Some(Phase::Ready));
}

/// The record has the maximum number of references, and still fits in the status.
#[test]
fn record_of_10_000_references_is_small() {
    let names: Vec<_> = (0..10_000).map(|at| format!("settings-{at}")).collect();
    let resources = names.iter().map(|name| json!({"ref": {"secret": name}}));
    let intent: Intent = intent(json!({
        "stages": [{"name": "all", "resources": resources.collect::<Vec<_>>()}],
    }));
    let mut contents = portolan_core_install::Contents::default();
    for name in &names {
        let manifest = with(config_map(name), "/metadata/namespace", json!("harbor"));
        let content = portolan_core_install::SecretContent {
            is_immutable: true,
            manifest: Some(portolan_core_install::canonical(&manifest)),
        };
        contents.secrets.insert(name.clone(), Ok(Some(content)));
    }
    let members = Members::read(&intent, &plan_identity(), &contents).expect("members");
    let referenced = members.references(&intent);
    assert!(referenced.len() < 100_000, "{} bytes", referenced.len());
    let record = Record {
        referenced,
        ..Record::default()
    };
    let recalled = Members::recalled(&intent, &record).expect("members");
    let identities = |members: &Members| {
        let members = members.iter();
        members
            .map(|member| member.identity.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(identities(&recalled), identities(&members));
}
