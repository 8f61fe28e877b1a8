//! Tests which objects are deleted when a user deletes a plan.

use jiff::SignedDuration;
use portolan_api::plan::{ConditionType, Phase, Reason};
use portolan_core_install::{Account, ObjectRef, Others, Resident, manager};
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{definition, deployment, describe, ferry, namespace, run, ship};
use crate::kit::{config_map, intent, members, stage};
use crate::model::{End, LINEAGE, Server, identity};
use crate::shell::Shell;

/// Returns a plan with these deletion settings.
pub(crate) fn deleting(mut spec: Value) -> Value {
    spec["lifecycle"] = json!({"onPlanDeletion": "Delete"});
    spec
}

/// Returns the spec with settings that delete resources of every kind.
pub(crate) fn with_all(spec: Value) -> Value {
    let mut spec = deleting(spec);
    for stage in spec["stages"].as_array_mut().expect("stages") {
        for resource in stage["resources"].as_array_mut().expect("resources") {
            resource["lifecycle"] = json!({"onRemoval": "Delete"});
        }
    }
    spec
}

/// Returns a server on which the plan became ready, and was then deleted by a user.
pub(crate) fn deleted(spec: &Value) -> Server {
    let mut server = Server::new();
    assert_same!(run(spec, &mut server)[0], "Ready");
    server.delete_plan();
    server
}

/// Returns the names of the deleted objects in order.
fn names(objects: &[Value]) -> Vec<String> {
    let names = objects.iter().map(|object| identity(object).to_string());
    names.collect()
}

/// Returns what a deleted plan reports: the reason why it is not ready, and the members that
/// remain.
fn reported(spec: &Value, server: &mut Server) -> Vec<String> {
    let said = run(spec, server);
    assert!(!server.is_gone, "the plan must be there");
    assert_same!(said[0], "Terminating");
    let about = |line: &&String| line.starts_with("Ready") || line.starts_with('-');
    said.iter().filter(about).cloned().collect()
}

const KEEP: &str =
    "set the annotation plans.portolan.dev/abandon=true on the plan to keep all its objects";
const HOLD: &str = "Until then, the controller deletes nothing; to keep the objects of the plan, set the \
                    annotation plans.portolan.dev/abandon=true on the plan";

/// The plan has applied all objects, and its status still lists the objects that existed before.
#[test]
fn owned_found_objects_are_deleted_with_an_applied_plan() {
    let found = |value: &str| {
        let mut spec = deleting(json!({"stages": [stage("one", &[config_map("a")])]}));
        spec["collisions"] = json!("Adopt");
        spec["lifecycle"]["onFound"] = json!(value);
        let mut server = Server::new().with(config_map("a"));
        let mut shell = Shell::new(&spec, &server);
        while !server.status.is_true(ConditionType::Applied) {
            shell.round(&mut server, None);
        }
        assert_eq!(
            server.status.record.as_ref().expect("a record").found.len(),
            1
        );
        server.delete_plan();
        run(&spec, &mut server);
        assert!(server.is_gone);
        server.objects.contains_key(&identity(&config_map("a")))
    };
    assert_eq!(["Keep", "Own"].map(found), [true, false]);
}

#[test]
fn plan_that_keeps_its_objects_has_no_finalizer() {
    let server = deleted(&ferry());
    assert!(server.is_gone);
    assert_eq!((server.objects.len(), server.deleted.len()), (4, 0));
}

#[test]
fn deletes_objects_in_reverse_order_and_keeps_data_of_other_owners() {
    let spec = deleting(ferry());
    let mut server = deleted(&spec);
    run(&spec, &mut server);
    assert!(server.is_gone);
    assert_same!(
        names(&server.deleted),
        [
            "Ship.ferry.example harbor/one",
            "Deployment.apps harbor/ferry"
        ]
    );
    assert_eq!(server.events, []);
}

#[test]
fn all_objects_are_deleted_if_all_resources_specify_it() {
    let spec = with_all(ferry());
    let mut server = deleted(&spec);
    run(&spec, &mut server);
    assert!(server.is_gone);
    assert_same!(
        names(&server.deleted),
        [
            "Ship.ferry.example harbor/one",
            "Deployment.apps harbor/ferry",
            "CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example",
            "Namespace harbor",
        ]
    );
    assert_eq!(server.lost, Vec::<Value>::new());
}

#[rstest]
#[case::by_default("Keep", json!({}), false, false)]
#[case::by_the_plan("Delete", json!({}), true, false)]
#[case::resource_that_is_kept("Delete", json!({"onPlanDeletion": "Keep"}), false, false)]
#[case::resource_that_is_deleted("Keep", json!({"onPlanDeletion": "Delete"}), true, false)]
#[case::kept_when_a_later_plan_drops_it("Delete", json!({"onRemoval": "Keep"}), true, false)]
#[case::deleted_when_a_later_plan_drops_it("Keep", json!({"onRemoval": "Delete"}), false, false)]
#[case::regardless_of_its_kind("Delete", json!({"onRemoval": "Delete"}), true, true)]
#[case::resource_regardless_of_its_kind(
    "Keep", json!({"onPlanDeletion": "Delete", "onRemoval": "Delete"}), true, true
)]
fn members_are_deleted_with_the_plan_as_configured(
    #[case] plan: &str,
    #[case] lifecycle: Value,
    #[case] goes: bool,
    #[case] goes_if_precious: bool,
) {
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "harbor", "name": "cargo"},
    });
    let manifests = [config_map("a"), namespace(), definition(), claim];
    let mut spec =
        json!({"stages": [stage("all", &manifests)], "lifecycle": {"onPlanDeletion": plan}});
    for resource in spec["stages"][0]["resources"]
        .as_array_mut()
        .expect("resources")
    {
        resource["lifecycle"] = lifecycle.clone();
    }
    let intent = intent(spec);
    let members = members(&intent);
    let went = members
        .iter()
        .map(|member| member.is_deleted_with(intent.on_plan_deletion));
    let expected = [goes, goes_if_precious, goes_if_precious, goes_if_precious];
    assert_eq!(went.collect::<Vec<_>>(), expected);
}

#[rstest]
#[case::by_its_annotation(|server: &mut Server| server.is_abandoned = true)]
#[case::crd_of_plans_is_being_deleted(|server: &mut Server| server.is_retired = true)]
fn plan_keeps_all_objects_on_request(#[case] tell: fn(&mut Server)) {
    let spec = with_all(ferry());
    let mut server = deleted(&spec);
    tell(&mut server);
    run(&spec, &mut server);
    assert!(server.is_gone);
    assert_eq!((server.objects.len(), server.deleted.len()), (4, 0));
}

#[test]
fn plan_changed_to_keep_objects_keeps_all() {
    let mut server = deleted(&with_all(ferry()));
    run(&ferry(), &mut server);
    assert!(server.is_gone);
    assert_eq!(server.deleted, Vec::<Value>::new());
}

#[test]
fn finalizers_of_other_clients_are_awaited_and_named() {
    let spec = with_all(ferry());
    let mut server = deleted(&spec);
    server.hold(&ship("one"), "ferry.example/dock");
    let held = "Ship.ferry.example harbor/one is being deleted, held by ferry.example/dock";
    let list = [
        "- operator[1] Ship.ferry.example harbor/one Terminating: is being deleted, held by \
         ferry.example/dock",
        "- operator[0] Deployment.apps harbor/ferry Remaining: is to be deleted",
        "- definitions[1] CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example Remaining: \
         is to be deleted",
        "- definitions[0] Namespace harbor Remaining: is to be deleted",
    ];
    let first = reported(&spec, &mut server);
    let finalizers = server.status.members.iter().map(|it| it.finalizers.len());
    assert_eq!(finalizers.collect::<Vec<_>>(), [1, 0, 0, 0]);
    assert_same!(server.status.members[0].finalizers, ["ferry.example/dock"]);
    assert_same!(
        first[0],
        format!("Ready False Deleting 4 objects not deleted yet: {held}")
    );
    assert_same!(first[1..], list);
    assert_eq!(server.events, []);
    // The operator is kept until the objects that need it are deleted.
    assert!(server.objects.contains_key(&identity(&deployment("ferry"))));
    server.later(30);
    let later = reported(&spec, &mut server);
    assert_same!(
        later[0],
        format!("Ready False DeletionBlocked 4 objects not deleted yet: {held}")
    );
    server.later(3_600);
    reported(&spec, &mut server);
    let event = &server.events[0];
    assert_eq!(
        (event.reason, server.events.len()),
        (Reason::DeletionBlocked, 1)
    );
    assert_same!(
        event.message,
        format!(
            "4 objects not deleted yet: {held}. The following objects remain: Ship.ferry.example \
             harbor/one, Deployment.apps harbor/ferry, \
             CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example and Namespace harbor"
        )
    );
    server.held.clear();
    run(&spec, &mut server);
    assert!(server.is_gone && server.objects.is_empty() && server.lost.is_empty());
}

#[test]
fn crd_with_objects_of_other_owners_blocks_the_whole_deletion() {
    let spec = with_all(ferry());
    let mut server = deleted(&spec).with(ship("two")).with(ship("three"));
    let lines = reported(&spec, &mut server);
    let waits = format!(
        "is not deleted, because Kubernetes would also delete objects that must be kept: 2 \
         objects, Ship.ferry.example harbor/three and Ship.ferry.example harbor/two; delete these \
         objects, or {KEEP}"
    );
    let crd = "CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example";
    assert_same!(
        lines[0],
        format!("Ready False DeletionBlocked 4 objects not deleted yet: {crd} {waits}")
    );
    assert_same!(lines[3], format!("- definitions[1] {crd} Held: {waits}"));
    assert_eq!(server.deleted, Vec::<Value>::new());
    assert_eq!(server.events.len(), 1);
    // No watch reports changes of these objects, so the controller reads them again after a while.
    let decision = Shell::new(&spec, &server).decide(&server);
    assert_eq!(
        decision.until,
        Some(server.now + SignedDuration::from_secs(30))
    );
    for name in ["two", "three"] {
        server.objects.remove(&identity(&ship(name)));
    }
    run(&spec, &mut server);
    assert!(server.is_gone && server.objects.is_empty() && server.lost.is_empty());
}

#[test]
fn crd_waits_for_kept_objects_of_the_plan() {
    let mut spec = with_all(ferry());
    spec["stages"][1]["resources"][1]["lifecycle"] = json!({"onPlanDeletion": "Keep"});
    let mut server = deleted(&spec);
    let lines = reported(&spec, &mut server);
    assert!(
        lines[0].contains(
            "Kubernetes would also delete objects that must be kept: 1 object, \
             Ship.ferry.example harbor/one"
        ),
        "{lines:?}"
    );
    assert_eq!(server.deleted, Vec::<Value>::new());
}

#[test]
fn namespace_waits_for_objects_of_other_owners() {
    let spec = with_all(ferry());
    let mut server = deleted(&spec).with(config_map("cargo"));
    let lines = reported(&spec, &mut server);
    assert_same!(
        lines,
        [
            format!(
                "Ready False DeletionBlocked 1 object not deleted yet: Namespace harbor is not \
                 deleted, because Kubernetes would also delete objects that must be kept: 1 \
                 object, ConfigMap harbor/cargo; delete these objects, or {KEEP}"
            ),
            format!(
                "- definitions[0] Namespace harbor Held: is not deleted, because Kubernetes would \
                 also delete objects that must be kept: 1 object, ConfigMap harbor/cargo; delete \
                 these objects, or {KEEP}"
            ),
        ]
    );
    assert_eq!(server.deleted.len(), 3);
    server.objects.remove(&identity(&config_map("cargo")));
    run(&spec, &mut server);
    assert!(server.is_gone && server.objects.is_empty());
}

#[rstest]
#[case::no_other_objects(&[], 0)]
#[case::objects_that_the_cluster_creates(&[("ServiceAccount", "default", "", "u-1"), ("Event", "a.1", "", "u-2")], 0)]
#[case::objects_with_an_owner_in_the_namespace(&[("Secret", "s", "", "u-1"), ("Pod", "p", "u-1", "u-2")], 1)]
#[case::objects_with_an_owner_elsewhere(&[("Pod", "p", "u-1", "u-2")], 1)]
#[case::more_objects_than_are_named(
    &[
        ("Pod", "1", "", "u-1"), ("Pod", "2", "", "u-2"), ("Pod", "3", "", "u-3"),
        ("Pod", "4", "", "u-4"), ("Pod", "5", "", "u-5"), ("Pod", "6", "", "u-6"),
    ],
    6
)]
fn counts_objects_of_other_owners_in_a_namespace(
    #[case] residents: &[(&str, &str, &str, &str)],
    #[case] expected: usize,
) {
    let residents = residents.iter().map(|(kind, name, owner, uid)| Resident {
        identity: ObjectRef {
            name: (*name).to_owned(),
            kind: portolan_core_install::GroupKind::new("", kind),
            namespace: Some("harbor".to_owned()),
        },
        uid: (*uid).to_owned(),
        owners: (!owner.is_empty())
            .then(|| (*owner).to_owned())
            .into_iter()
            .collect(),
    });
    let residents: Vec<_> = residents.collect();
    let Others::Counted { count, first } = Others::in_namespace(&residents) else {
        panic!("they were counted");
    };
    assert_eq!((count, first.len()), (expected, expected));
}

/// Each case contains a problem that blocks the whole deletion, and the expected message.
#[rstest]
#[case::account_is_missing(
    |server: &mut Server| server.account = Account::Missing,
    "Permitted False ServiceAccountMissing the ServiceAccount installer does not exist in the \
     namespace of the plan",
    "the ServiceAccount installer does not exist in the namespace of the plan"
)]
#[case::delete_permission_is_missing(
    |server: &mut Server| server.denies = ["delete"].into(),
    "Permitted False PermissionMissing the ServiceAccount installer lacks rules, in namespace harbor: \
     {\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"verbs\":[\"delete\"]}; `portolan plan permissions plan -n harbor` prints the roles to apply",
    "the ServiceAccount installer lacks rules, in namespace harbor: \
     {\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"verbs\":[\"delete\"]}; `portolan plan permissions plan -n harbor` prints the roles to apply"
)]
fn reports_problem_that_blocks_the_whole_deletion(
    #[case] change: fn(&mut Server),
    #[case] permitted: &str,
    #[case] why: &str,
) {
    let spec = deleting(json!({"stages": [stage("one", &[config_map("a"), config_map("b")])]}));
    let mut server = deleted(&spec);
    change(&mut server);
    let lines = reported(&spec, &mut server);
    assert_same!(
        lines[0],
        format!("Ready False DeletionBlocked {why}. {HOLD}")
    );
    let names: Vec<_> = lines[1..]
        .iter()
        .map(|line| line.split(' ').nth(2))
        .collect();
    assert_eq!(names.len(), 2);
    assert_same!(describe(&server.status)[2], permitted);
    assert_eq!((server.deleted.len(), server.events.len()), (0, 1));
    assert!(
        server.events[0]
            .message
            .ends_with("ConfigMap harbor/a and ConfigMap harbor/b")
            || server.events[0]
                .message
                .ends_with("ConfigMap harbor/b and ConfigMap harbor/a")
    );
    // When the problem is solved, the deletion continues.
    server.account = Account::There;
    server.denies.clear();
    run(&spec, &mut server);
    assert!(server.is_gone && server.objects.is_empty());
}

#[test]
fn deletable_objects_require_delete_permission_first() {
    let spec = with_all(ferry());
    let mut server = Server::new();
    server.denies = ["delete", "list"].into();
    let lines = run(&spec, &mut server);
    assert_same!(
        lines[2],
        r#"Permitted False PermissionMissing the ServiceAccount installer lacks rules, in the cluster: {"apiGroups":[""],"resources":["namespaces"],"verbs":["delete"]}; in the cluster: {"apiGroups":["apiextensions.k8s.io"],"resources":["customresourcedefinitions"],"verbs":["delete"]}; in the cluster: {"apiGroups":["ferry.example"],"resources":["ship"],"verbs":["list"]}; in namespace harbor: {"apiGroups":["*"],"resources":["*"],"verbs":["list"]}; in namespace harbor: {"apiGroups":["apps"],"resources":["deployments"],"verbs":["delete"]}; in namespace harbor: {"apiGroups":["ferry.example"],"resources":["ship"],"verbs":["delete"]}; `portolan plan permissions plan -n harbor` prints the roles to apply"#
    );
    assert!(server.objects.is_empty());
}

#[test]
fn suspended_plan_deletes_nothing() {
    let mut spec = deleting(json!({"stages": [stage("one", &[config_map("a")])]}));
    let mut server = deleted(&spec);
    spec["suspend"] = json!(true);
    assert_same!(
        reported(&spec, &mut server)[0],
        format!(
            "Ready False DeletionBlocked the plan is suspended; set spec.suspend to false. {HOLD}"
        )
    );
    spec["suspend"] = json!(false);
    run(&spec, &mut server);
    assert!(server.is_gone && server.objects.is_empty());
}

#[test]
fn plan_without_a_record_of_its_objects_deletes_nothing() {
    let spec = deleting(json!({"stages": [stage("one", &[config_map("a")])]}));
    let mut server = deleted(&spec);
    let other = deleting(json!({"stages": [stage("one", &[config_map("b")])]}));
    let lines = reported(&other, &mut server);
    assert_same!(
        lines,
        [format!(
            "Ready False DeletionBlocked the objects that the plan created are unknown: the \
             manifests changed after the plan had started; create another plan for the new \
             manifests, or restore the objects that this plan refers to. {HOLD}"
        )]
    );
    assert!(describe(&server.status)[1].starts_with("Valid False ManifestsChanged"));
    assert_eq!(server.objects.len(), 1);
}

/// The ServiceAccount is deleted together with its namespace, so it cannot delete the objects. The
/// plan must not block the deletion of the namespace.
#[test]
fn plan_in_deleted_namespace_removes_its_finalizer() {
    let spec = deleting(json!({"stages": [stage("one", &[config_map("a")])]}));
    let mut server = deleted(&spec);
    server.account = Account::Leaving;
    run(&spec, &mut server);
    assert!(server.is_gone);
    assert!(server.objects.contains_key(&identity(&config_map("a"))));
    let event = server.events.last().expect("an event");
    assert_eq!(event.reason, Reason::ObjectsRemain);
    assert_eq!(
        event.message,
        "the plan is deleted, and its objects are kept: the namespace of the plan is being \
         deleted, so the ServiceAccount installer cannot be used any more"
    );
}

#[test]
fn refused_deletion_is_reported_and_retried() {
    let spec = deleting(json!({"stages": [stage("one", &[config_map("a"), config_map("b")])]}));
    let mut server = deleted(&spec);
    server.refuses = [identity(&config_map("b"))].into();
    assert_same!(
        reported(&spec, &mut server),
        [
            "Ready False DeletionBlocked ConfigMap harbor/b is refused: it is needed",
            "- one[1] ConfigMap harbor/b Refused: is refused: it is needed",
            "- one[0] ConfigMap harbor/a Remaining: is to be deleted",
        ]
    );
    server.refuses.clear();
    run(&spec, &mut server);
    assert!(server.is_gone && server.objects.is_empty());
}

#[test]
fn found_objects_are_kept() {
    let mut spec = deleting(json!({"stages": [stage("one", &[config_map("a"), config_map("b")])]}));
    spec["collisions"] = json!("Adopt");
    let mut server = Server::new().with(config_map("a"));
    assert_same!(run(&spec, &mut server)[0], "Ready");
    server.delete_plan();
    run(&spec, &mut server);
    assert!(server.is_gone);
    assert_same!(names(&server.deleted), ["ConfigMap harbor/b"]);
    // If the object disappears before the plan writes it, the plan creates it. The object then
    // belongs to the plan.
    let mut server = Server::new().with(config_map("a"));
    let mut shell = Shell::new(&spec, &server);
    shell.run(&mut server, Some(1));
    server.objects.clear();
    run(&spec, &mut server);
    server.delete_plan();
    run(&spec, &mut server);
    assert!(server.is_gone && server.objects.is_empty());
}

/// Another user recreated or overwrote the object after the plan created it.
#[rstest]
#[case::without_label_and_owner(json!({}), "somebody", false)]
#[case::copy_with_the_label(json!({"plans.portolan.dev/lineage": LINEAGE}), "somebody", false)]
#[case::of_another_lineage(json!({"plans.portolan.dev/lineage": "u-other"}), "", false)]
#[case::of_a_deleted_plan(json!({"plans.portolan.dev/lineage": LINEAGE}), "", false)]
fn deleted_plan_keeps_object_of_another_owner_with_the_same_name(
    #[case] labels: Value,
    #[case] writer: &str,
    #[case] goes: bool,
) {
    let spec = deleting(json!({"stages": [stage("one", &[config_map("a")])]}));
    let mut server = deleted(&spec);
    let ours = manager(LINEAGE);
    let object = server
        .objects
        .get_mut(&identity(&config_map("a")))
        .expect("it");
    object["metadata"]["uid"] = json!("u-again");
    object["metadata"]["labels"] = labels;
    let writer = if writer.is_empty() { &ours } else { writer };
    object["metadata"]["managedFields"][0]["manager"] = json!(writer);
    run(&spec, &mut server);
    assert!(server.is_gone);
    assert_eq!(server.objects.is_empty(), goes);
}

/// The uid is unknown. Either a process stopped before it recorded the uid, or an earlier version
/// of the controller created the object.
#[test]
fn object_with_unknown_uid_is_deleted() {
    let spec = deleting(json!({"stages": [stage("one", &[config_map("a")])]}));
    let mut server = deleted(&spec);
    server.status.record.as_mut().expect("a record").made = String::new();
    run(&spec, &mut server);
    assert!(server.is_gone && server.objects.is_empty());
}

/// The order in which the objects of one stage are deleted.
#[rstest]
#[case::in_order("InOrder", &["ConfigMap harbor/c"])]
#[case::parallel("Any", &["ConfigMap harbor/c", "ConfigMap harbor/a"])]
fn objects_of_a_stage_are_deleted_in_the_configured_order(
    #[case] order: &str,
    #[case] expected: &[&str],
) {
    let mut all = stage("all", &["a", "b", "c"].map(config_map));
    all["order"] = json!(order);
    let spec = deleting(json!({"stages": [all]}));
    let mut server = deleted(&spec);
    server.hold(&config_map("b"), "a/b");
    reported(&spec, &mut server);
    assert_same!(names(&server.deleted), expected);
}

#[test]
fn crd_in_a_later_stage_is_deleted_after_its_objects() {
    let mut server = Server::new().with(definition());
    server.tick();
    let mut spec = with_all(json!({"stages": [
        stage("ships", &[ship("one")]),
        stage("definitions", &[definition()]),
    ]}));
    spec["collisions"] = json!("Adopt");
    let mut shell = Shell::new(&spec, &server);
    // The plan recreates the object.
    shell.run(&mut server, Some(1));
    server.objects.clear();
    let mut other =
        json!({"stages": [stage("definitions", &[definition()]), stage("ships", &[ship("one")])]});
    other["collisions"] = json!("Adopt");
    server.status.record = None;
    run(&with_all(other), &mut server);
    let digest = shell.members().digest();
    let record = server.status.record.as_mut().expect("a record");
    (record.digest, record.made) = (digest, String::new());
    server.delete_plan();
    run(&spec, &mut server);
    assert!(server.is_gone && server.lost.is_empty());
    assert_same!(
        names(&server.deleted),
        [
            "Ship.ferry.example harbor/one",
            "CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example"
        ]
    );
}

#[test]
fn does_nothing_while_only_other_finalizers_block_the_deletion() {
    let mut server = Server::new();
    server.terminating_since = Some(server.now);
    let mut shell = Shell::new(&with_all(ferry()), &server);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_eq!(server.status.phase, Some(Phase::Terminating));
    assert!(server.objects.is_empty());
}

/// While a CRD is being deleted, its objects cannot be read for a moment. The plan does not report
/// this as a problem.
#[test]
fn objects_of_a_crd_in_deletion_are_not_reported() {
    let spec = with_all(json!({"stages": [
        stage("definitions", &[definition()]), stage("ships", &[ship("one")]),
    ]}));
    let mut server = Server::new();
    run(&spec, &mut server);
    server.delete_plan();
    // The API server no longer serves the kind, but a finalizer still delays the deletion of the
    // CRD.
    server.hold(&definition(), "a/b");
    let held = identity(&definition());
    server.objects.get_mut(&held).expect("it")["status"] = json!({});
    server.stuck.insert(held.clone());
    run(&spec, &mut server);
    assert_eq!(server.events, []);
    assert!(
        describe(&server.status)
            .iter()
            .any(|line| line.contains("Deleting")),
        "{:?}",
        describe(&server.status)
    );
    server.later(30);
    run(&spec, &mut server);
    assert_eq!(server.events.len(), 1);
}
