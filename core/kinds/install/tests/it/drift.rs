//! Tests of changes and deletions that other users make to applied objects, and of their repair.

use portolan_api::plan::ConditionType;
use portolan_core_install::only_repairs;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{deployment, describe, run};
use crate::kit::{config_map, stage, with};
use crate::model::{End, Server, identity};
use crate::shell::Shell;

/// Returns a spec with one ConfigMap and one Deployment, and with this lifecycle.
fn spec(lifecycle: Value) -> Value {
    json!({"lifecycle": lifecycle, "stages": [stage("all", &[config_map("a"), deployment("b")])]})
}

/// Returns the spec of `spec`, with other settings for the first resource.
fn excepting(lifecycle: Value, exception: Value) -> Value {
    with(
        spec(lifecycle),
        "/stages/0/resources/0/lifecycle",
        exception,
    )
}

/// Returns an applied plan in which another user has changed a value.
fn edited(spec: &Value) -> Server {
    let mut server = Server::new();
    run(spec, &mut server);
    server.edit(&config_map("a"), "/data/key", json!("other"), "editor");
    server
}

fn value<'s>(server: &'s Server, pointer: &str) -> &'s Value {
    let object = &server.objects[&identity(&config_map("a"))];
    object.pointer(pointer).unwrap_or(&Value::Null)
}

/// Returns the reported drift, and the messages of members that have drifted.
fn reported(server: &Server) -> Vec<String> {
    let mut said = describe(&server.status);
    said.retain(|line| line.starts_with("Drifted") || line.starts_with('-'));
    said
}

const HAS_OTHERS: &str = "has other values: .data.key, by \"editor\"";

fn drifted() -> Vec<String> {
    vec![
        format!("Drifted True MembersDrifted 1 object: ConfigMap harbor/a {HAS_OTHERS}"),
        format!("- all[0] ConfigMap harbor/a Drifted: {HAS_OTHERS}"),
    ]
}

#[test]
fn drift_is_reported_and_not_reverted() {
    let spec = spec(json!({}));
    let mut server = edited(&spec);
    let writes = server.writes;
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert_same!(reported(&server), drifted());
    assert_eq!(value(&server, "/data/key"), "other");
    assert_eq!(server.writes, writes + 1, "the status alone");
    // The controller has reported the drift, so nothing changes in the next run.
    run(&spec, &mut server);
    assert_eq!(server.writes, writes + 1);
    // The user who restores the value becomes the owner of the field. This is intended.
    server.edit(&config_map("a"), "/data/key", json!("value"), "editor");
    run(&spec, &mut server);
    assert_same!(reported(&server), Vec::<String>::new());
}

#[rstest]
#[case::revert("Revert")]
#[case::seal("Seal")]
fn change_by_another_client_is_reverted(#[case] on_drift: &str) {
    let spec = spec(json!({"onDrift": on_drift}));
    let mut server = edited(&spec);
    run(&spec, &mut server);
    assert_eq!(value(&server, "/data/key"), "value");
    assert_same!(reported(&server), Vec::<String>::new());
    let writes = server.writes;
    run(&spec, &mut server);
    assert_eq!(server.writes, writes);
}

/// Tests which changes of a status count only as repairs. The controller may write such a status
/// later.
#[test]
fn revert_is_distinguished_from_other_status_changes() {
    let spec = spec(json!({"onDrift": "Revert"}));
    let mut server = edited(&spec);
    let before = server.status.clone();
    let mut shell = Shell::new(&spec, &server);
    // The controller writes the member once, and writes the status once to report the drift.
    let writes = server.writes;
    assert_eq!(shell.run(&mut server, Some(writes + 2)), End::Stopped);
    assert_same!(reported(&server), drifted());
    assert!(only_repairs(&before, &server.status));
    run(&spec, &mut server);
    assert_ne!(server.status, before, "it is counted");
    assert!(only_repairs(&before, &server.status));
    // The status must report a missing object, and a manager that keeps changing the object.
    for _ in 0..3 {
        server.edit(&config_map("a"), "/data/key", json!("other"), "editor");
        run(&spec, &mut server);
    }
    assert!(!only_repairs(&before, &server.status));
    let mut server = edited(&spec);
    server.objects.remove(&identity(&deployment("b")));
    run(&spec, &mut server);
    assert!(!only_repairs(&before, &server.status));
}

#[rstest]
#[case::resource_that_only_reports_drift(json!({"onDrift": "Revert"}), json!({"onDrift": "Report"}), "other")]
#[case::resource_that_reverts_drift(json!({}), json!({"onDrift": "Revert"}), "value")]
fn drift_setting_of_a_resource_overrides_its_plan(
    #[case] plan: Value,
    #[case] resource: Value,
    #[case] then: &str,
) {
    let spec = excepting(plan, resource);
    let mut server = edited(&spec);
    run(&spec, &mut server);
    assert_eq!(value(&server, "/data/key"), then);
}

#[test]
fn added_fields_are_kept_unless_the_plan_seals_the_object() {
    let reverts = spec(json!({"onDrift": "Revert"}));
    let mut server = edited(&reverts);
    server.edit(&config_map("a"), "/data/more", json!("1"), "other-editor");
    run(&reverts, &mut server);
    assert_eq!(
        value(&server, "/data"),
        &json!({"key": "value", "more": "1"})
    );
    assert_same!(reported(&server), Vec::<String>::new());

    let seals = spec(json!({"onDrift": "Seal"}));
    let writes = server.writes;
    let mut shell = Shell::new(&seals, &server);
    // The controller writes the member once, and writes the status once to report the problem.
    assert_eq!(shell.run(&mut server, Some(writes + 2)), End::Stopped);
    let more = "has unexpected fields: .data.more, by \"other-editor\"";
    assert_same!(
        reported(&server),
        [
            format!("Drifted True MembersDrifted 1 object: ConfigMap harbor/a {more}"),
            format!("- all[0] ConfigMap harbor/a Drifted: {more}"),
        ]
    );
    run(&seals, &mut server);
    assert_eq!(value(&server, "/data"), &json!({"key": "value"}));
    assert_same!(reported(&server), Vec::<String>::new());
}

/// `Seal` removes only fields of the desired state, so metadata stays unchanged.
#[test]
fn seal_does_not_change_metadata() {
    let spec = spec(json!({"onDrift": "Seal"}));
    let mut server = Server::new();
    run(&spec, &mut server);
    server.edit(
        &config_map("a"),
        "/metadata/annotations/note",
        json!("1"),
        "editor",
    );
    server.edit(
        &config_map("a"),
        "/metadata/finalizers",
        json!(["a/b"]),
        "editor",
    );
    let writes = server.writes;
    run(&spec, &mut server);
    assert_eq!(server.writes, writes);
}

#[rstest]
#[case::ignored_field(json!(["/data/key"]))]
#[case::parent_of_an_ignored_field(json!(["/data"]))]
fn ignored_field_belongs_to_its_new_owner(#[case] ignore: Value) {
    let spec = excepting(json!({"onDrift": "Seal"}), json!({"ignore": ignore}));
    let mut server = edited(&spec);
    let looks = server.drift_looks.get();
    let writes = server.writes;
    run(&spec, &mut server);
    assert_eq!((server.writes, server.drift_looks.get()), (writes, looks));
    // The controller repairs other changes without reverting this one.
    server.edit(
        &config_map("a"),
        "/metadata/annotations/plans.portolan.dev~1digest",
        json!("x"),
        "editor",
    );
    assert_eq!(value(&server, "/data/key"), "other");
    run(&spec, &mut server);
    assert_eq!(value(&server, "/data/key"), "other");
}

#[test]
fn suspended_plan_reverts_no_drift() {
    let reverts = spec(json!({"onDrift": "Revert"}));
    let mut server = edited(&reverts);
    let suspended = with(reverts.clone(), "/suspend", json!(true));
    run(&suspended, &mut server);
    assert_same!(reported(&server), drifted());
    assert_eq!(value(&server, "/data/key"), "other");
    run(&reverts, &mut server);
    assert_eq!(value(&server, "/data/key"), "value");
}

#[test]
fn account_without_permission_reverts_no_drift() {
    let spec = spec(json!({"onDrift": "Revert", "onDeletion": "Recreate"}));
    let mut server = edited(&spec);
    server.objects.remove(&identity(&deployment("b")));
    server.is_allowed = false;
    run(&spec, &mut server);
    assert_eq!(value(&server, "/data/key"), "other");
    assert_eq!(server.objects.len(), 1);
}

/// If a webhook does not support dry runs, the controller compares the values of the object with
/// its manifest.
#[test]
fn object_without_dry_run_is_compared() {
    let spec = spec(json!({}));
    let mut server = edited(&spec);
    server.tries_nothing = Some("it has side effects".to_owned());
    run(&spec, &mut server);
    assert_same!(reported(&server), drifted());
    server.edit(&config_map("a"), "/data/key", json!("value"), "editor");
    run(&spec, &mut server);
    assert_same!(reported(&server), Vec::<String>::new());
}

/// One dry run is sufficient to find the repair, even if the status changes often.
#[test]
fn drift_causes_only_one_dry_run() {
    let spec = spec(json!({}));
    let mut server = edited(&spec);
    let mut shell = Shell::new(&spec, &server);
    shell.run(&mut server, None);
    let looks = server.drift_looks.get();
    for _ in 0..3 {
        shell.run(&mut server, None);
    }
    assert_eq!(server.drift_looks.get(), looks);
}

/// The managed fields contain the second of a write, but no values. Two writes in the same second
/// therefore leave the same managed fields.
#[test]
fn second_change_in_the_same_second_is_detected() {
    let spec = spec(json!({}));
    let mut server = edited(&spec);
    let mut shell = Shell::new(&spec, &server);
    for (value, expected) in [
        ("other", drifted()),
        ("value", vec![]),
        ("other", drifted()),
    ] {
        server.edit(&config_map("a"), "/data/key", json!(value), "editor");
        shell.run(&mut server, None);
        assert_same!(reported(&server), expected);
    }
}

#[test]
fn deleted_object_is_recreated_if_configured() {
    let spec = spec(json!({"onDeletion": "Recreate"}));
    let mut server = Server::new();
    run(&spec, &mut server);
    server.objects.remove(&identity(&config_map("a")));
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert_eq!(server.objects.len(), 2);
    assert_same!(reported(&server), Vec::<String>::new());
}

/// If another user creates an object with the name of a member, it counts as an object that existed
/// before the plan.
#[rstest]
#[case::refused("Refuse", false)]
#[case::taken_over("IfUnowned", true)]
fn recreated_object_of_another_user_is_a_collision(
    #[case] collisions: &str,
    #[case] is_taken: bool,
) {
    let spec = with(
        spec(json!({"onDeletion": "Recreate"})),
        "/collisions",
        json!(collisions),
    );
    let mut server = Server::new();
    run(&spec, &mut server);
    let mut server = server.with(with(config_map("a"), "/data", json!({"foreign": "1"})));
    run(&spec, &mut server);
    let is_ours = value(&server, "/data/key") == "value";
    assert_eq!(is_ours, is_taken);
    assert_eq!(value(&server, "/data/foreign"), "1");
    assert_eq!(server.deleted.len(), 0);
}

/// After three repairs, the controller no longer changes the object and reports the other manager.
/// The repairs continue later, or when a user requests it.
#[rstest]
#[case::after_an_hour(|server: &mut Server| server.later(3600), "value")]
#[case::not_within_the_hour(|server: &mut Server| server.later(3000), "other")]
#[case::when_a_user_requests_a_retry(|server: &mut Server| server.retry = Some("1".to_owned()), "value")]
fn repairs_pause_after_repeated_changes_and_resume(
    #[case] then: impl Fn(&mut Server),
    #[case] ends: &str,
) {
    let spec = spec(json!({"onDrift": "Revert"}));
    let mut server = Server::new();
    run(&spec, &mut server);
    for _ in 0..3 {
        server.later(60);
        server.edit(&config_map("a"), "/data/key", json!("other"), "editor");
        run(&spec, &mut server);
        assert_eq!(value(&server, "/data/key"), "value");
    }
    server.later(60);
    server.edit(&config_map("a"), "/data/key", json!("other"), "editor");
    let mut shell = Shell::new(&spec, &server);
    let until = shell.decide(&server).until.expect("a time");
    assert_eq!(until.to_string(), "1970-01-01T01:01:00Z");
    run(&spec, &mut server);
    assert_eq!(value(&server, "/data/key"), "other");
    let contested = format!(
        "{HAS_OTHERS}; the object was repaired 3 times since 1970-01-01T00:01:00Z, and is not \
         repaired again until 1970-01-01T01:01:00Z, or until the value of the annotation \
         plans.portolan.dev/retry changes"
    );
    assert_same!(
        reported(&server),
        [
            format!("Drifted True DriftContested 1 object: ConfigMap harbor/a {contested}"),
            format!("- all[0] ConfigMap harbor/a Contested: {contested}"),
        ]
    );
    then(&mut server);
    run(&spec, &mut server);
    assert_eq!(value(&server, "/data/key"), ends);
}

#[test]
fn rare_changes_do_not_pause_repairs() {
    let spec = spec(json!({"onDrift": "Revert"}));
    let mut server = Server::new();
    run(&spec, &mut server);
    for _ in 0..10 {
        server.later(301);
        server.edit(&config_map("a"), "/data/key", json!("other"), "editor");
        run(&spec, &mut server);
        assert_eq!(value(&server, "/data/key"), "value");
    }
}

#[test]
fn changed_plan_resumes_paused_repairs() {
    let spec = spec(json!({"onDeletion": "Recreate"}));
    let mut server = Server::new();
    run(&spec, &mut server);
    for _ in 0..4 {
        server.objects.remove(&identity(&config_map("a")));
        run(&spec, &mut server);
    }
    assert_eq!(server.objects.len(), 1);
    assert!(
        reported(&server)[0].contains("DriftContested"),
        "{:?}",
        reported(&server)
    );
    let mut shell = Shell::new(&spec, &server).with(|observed| observed.plan.generation = 2);
    shell.run(&mut server, None);
    assert_eq!(server.objects.len(), 2);
}

#[test]
fn drift_of_unwatchable_objects_is_unknown() {
    let spec = spec(json!({}));
    let mut server = Server::new();
    let kind = identity(&config_map("a")).kind;
    let mut shell =
        Shell::new(&spec, &server).with(|observed| observed.unwatched = Some([kind].into()));
    shell.run(&mut server, None);
    let unknown = "Drifted Unknown NotWatched the ServiceAccount cannot list and watch ConfigMap: \
                   the controller detects changes of these objects only every few minutes";
    assert_same!(reported(&server), [unknown]);
    // Another process without cached facts makes the same decision.
    let writes = server.writes;
    let mut shell = Shell::new(&spec, &server).with(|observed| observed.unwatched = None);
    shell.run(&mut server, None);
    assert_eq!(server.writes, writes);
}

/// The manifest changes an immutable field. The controller recreates the object only if a plan
/// created it.
#[rstest]
#[case::object_created_by_the_plan(false, 2, 1)]
#[case::object_found_by_the_plan(true, 2, 0)]
fn object_with_immutable_change_is_recreated_if_the_plan_created_it(
    #[case] is_found: bool,
    #[case] objects: usize,
    #[case] deleted: usize,
) {
    let spec = with(
        excepting(json!({}), json!({"onImmutable": "Recreate"})),
        "/collisions",
        json!("Adopt"),
    );
    let mut server = Server::new();
    if is_found {
        server = server.with(config_map("a"));
    } else {
        // Only a part of the plan is applied so far.
        let mut shell = Shell::new(&spec, &server);
        shell.run(&mut server, Some(2));
        let digest = "/metadata/annotations/plans.portolan.dev~1digest";
        let object = server
            .objects
            .get_mut(&identity(&config_map("a")))
            .expect("it");
        *object.pointer_mut(digest).expect("a digest") = json!("another");
    }
    server.immutable = [identity(&config_map("a"))].into();
    let ended = run(&spec, &mut server);
    assert_eq!(ended[0], "Ready", "{ended:?}");
    assert_eq!(
        (server.objects.len(), server.deleted.len()),
        (objects, deleted)
    );
}

/// Returns a plan with two stages and this lifecycle. The second stage never becomes ready. Another
/// user has changed an object of the first stage.
fn hanging(lifecycle: Value, jobs: Value) -> (Value, Server) {
    let mut first = stage("first", &[config_map("a")]);
    first["jobs"] = jobs;
    let others = [
        stage("second", &[deployment("b")]),
        stage("third", &[config_map("c")]),
    ];
    let spec = json!({"lifecycle": lifecycle, "stages": [first, others[0], others[1]]});
    let mut server = Server::new();
    server.stuck.insert(identity(&deployment("b")));
    run(&spec, &mut server);
    server.edit(&config_map("a"), "/data/key", json!("other"), "editor");
    (spec, server)
}

#[test]
fn reports_change_in_a_finished_stage_while_a_later_stage_hangs() {
    let (spec, mut server) = hanging(json!({}), json!([]));
    assert_eq!(run(&spec, &mut server)[0], "Applying");
    let drifted = format!("Drifted True MembersDrifted 1 object: ConfigMap harbor/a {HAS_OTHERS}");
    assert_same!(reported(&server)[0], drifted);
    assert_eq!(value(&server, "/data/key"), "other");
    // The status also reports when the drift has ended.
    server.edit(&config_map("a"), "/data/key", json!("value"), "editor");
    run(&spec, &mut server);
    let applied = server.status.condition(ConditionType::Drifted).expect("it");
    assert_eq!(applied.status, "False");
}

#[test]
fn reverts_change_in_a_finished_stage_while_a_later_stage_hangs() {
    let (spec, mut server) = hanging(json!({"onDrift": "Revert"}), json!([]));
    assert_eq!(run(&spec, &mut server)[0], "Applying");
    assert_eq!(value(&server, "/data/key"), "value");
    assert_eq!(server.status.repairs["0"].times, 1);
    // The controller does not repair a member that it has not applied yet.
    let name = identity(&config_map("c"));
    assert!(!server.objects.contains_key(&name));
    server.stuck.clear();
    server.tick();
    assert_eq!(run(&spec, &mut server)[0], "Ready");
}

#[test]
fn reverts_change_while_a_job_of_the_stage_has_failed() {
    let pod = json!({"restartPolicy": "Never", "containers": [{"name": "a"}]});
    let job = json!({"name": "migrate", "template": {"spec": {"template": {"spec": pod}}}});
    let mut first = stage("first", &[config_map("a")]);
    first["jobs"] = json!([job]);
    let spec = json!({
        "lifecycle": {"onDrift": "Revert"}, "stages": [first, stage("second", &[config_map("c")])],
    });
    let mut server = Server::new();
    server.failing = 1;
    assert_eq!(run(&spec, &mut server)[0], "Failed");
    server.edit(&config_map("a"), "/data/key", json!("other"), "editor");
    assert_eq!(run(&spec, &mut server)[0], "Failed");
    assert_eq!(value(&server, "/data/key"), "value");
}

/// The API server rejects the repair. The next stage must not wait for it.
#[test]
fn refused_revert_does_not_delay_the_next_stage() {
    let (spec, mut server) = hanging(json!({"onDrift": "Revert"}), json!([]));
    server.refuses.insert(identity(&config_map("a")));
    run(&spec, &mut server);
    let drifted = server.status.condition(ConditionType::Drifted).expect("it");
    assert_eq!(drifted.reason, "WriteRejected");
    server.stuck.clear();
    server.tick();
    run(&spec, &mut server);
    assert!(server.objects.contains_key(&identity(&config_map("c"))));
}

/// Another user deletes and recreates a member, or takes it over.
#[rstest]
#[case::without_owner("Adopt", json!({}), "another owner")]
#[case::owned_by_a_helm_release("Refuse", json!({"meta.helm.sh/release-name": "ferry"}), "the Helm release ferry")]
fn reports_member_replaced_by_another_owner_as_drift(
    #[case] collisions: &str,
    #[case] annotations: Value,
    #[case] owner: &str,
) {
    let mut spec = spec(json!({}));
    spec["collisions"] = json!(collisions);
    let mut server = Server::new();
    run(&spec, &mut server);
    server.objects.remove(&identity(&config_map("a")));
    let mut server = server.with(with(config_map("a"), "/metadata/annotations", annotations));
    run(&spec, &mut server);
    let expected = format!(
        "Drifted True MembersDrifted 1 object: ConfigMap harbor/a exists, but the label of this \
         plan is missing: {owner} took over the object or created it again"
    );
    assert_same!(reported(&server)[0], expected);
    assert_eq!(server.status.members.len(), 1);
}
