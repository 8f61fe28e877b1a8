//! Tests of applied plans, and of their objects.

use portolan_core_install::Account;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::json;

use crate::decide::{READY, deployment, describe, ferry, namespace, run};
use crate::kit::{config_map, stage};
use crate::model::{End, Server, identity};
use crate::shell::Shell;

#[test]
fn lost_permissions_stop_the_plan_and_keep_applied_objects() {
    let mut server = Server::new();
    run(&ferry(), &mut server);
    let counts = server.status.counts;
    server.is_allowed = false;
    let said = run(&ferry(), &mut server);
    assert!(
        said[2].starts_with("Permitted False PermissionMissing"),
        "{said:?}"
    );
    assert_same!(
        [&said[..2], &said[3..]].concat(),
        [&READY[..2], &READY[3..]].concat()
    );
    assert_eq!(server.status.counts, counts);
    // Although a permission is missing, the controller still checks the objects of the plan.
    server.objects.remove(&identity(&deployment("ferry")));
    let said = run(&ferry(), &mut server);
    let gone = "Ready False MembersNotReady 1 object: Deployment.apps harbor/ferry is gone";
    assert_same!([&said[0], &said[4]], ["Applied", gone]);
}

/// Before the second stage, the ServiceAccount of the plan is deleted, or the namespace no longer
/// permits plans.
#[rstest]
#[case::deleted(Account::Missing, "ServiceAccountMissing")]
#[case::namespace_does_not_permit_plans(Account::NotEnabled, "NamespaceNotEnabled")]
#[case::account_is_not_bound(Account::NotGranted, "NamespaceNotEnabled")]
fn plan_stops_while_its_account_is_unusable(#[case] account: Account, #[case] reason: &str) {
    let stages = [
        stage("one", &[deployment("ferry")]),
        stage("two", &[config_map("a")]),
    ];
    let spec = json!({"stages": stages});
    let mut server = Server::new();
    server.stuck.insert(identity(&deployment("ferry")));
    run(&spec, &mut server);
    assert_eq!(
        server.status.stage.as_ref().map(|stage| stage.index),
        Some(0)
    );
    server.stuck.clear();
    server.account = account;
    let said = run(&spec, &mut server);
    assert!(
        said[2].starts_with(&format!("Permitted False {reason} ")),
        "{said:?}"
    );
    assert_eq!(server.objects.len(), 1);
    assert_eq!(
        server.status.stage.as_ref().map(|stage| stage.index),
        Some(0)
    );
    server.account = Account::There;
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    assert_eq!(server.objects.len(), 2);
}

#[test]
fn plan_with_unreadable_objects_is_applied_but_not_ready() {
    let mut server = Server::new();
    run(&ferry(), &mut server);
    let counts = server.status.counts;
    let other = json!({"stages": [stage("definitions", &[namespace()])]});
    let said = run(&other, &mut server);
    assert!(
        said[1].starts_with("Valid False ManifestsChanged"),
        "{said:?}"
    );
    let why = "NotObserved the objects are not checked: the manifests changed after the plan had \
               started; create another plan for the new manifests, or restore the objects that \
               this plan refers to";
    assert_same!(
        [&said[..1], &said[3..]].concat(),
        [
            "Applied".to_owned(),
            READY[3].to_owned(),
            format!("Ready False {why}"),
            format!("Drifted Unknown {why}"),
        ]
    );
    assert_eq!(server.status.counts, counts);
}

#[test]
fn object_deleted_during_apply_is_recreated_before_next_stage() {
    let mut first = stage("first", &[config_map("a")]);
    first["waitFor"] = json!("Applied");
    let spec = json!({"stages": [first, stage("second", &[config_map("b")])]});
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, Some(3)), End::Stopped);
    let object = server
        .objects
        .get_mut(&identity(&config_map("a")))
        .expect("it");
    object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    object["metadata"]["finalizers"] = json!(["ferry.example/keep"]);
    let decision = shell.decide(&server);
    assert_same!(decision.steps, []);
    assert_same!(
        decision.status.members[0].finalizers,
        ["ferry.example/keep"]
    );
    assert_same!(
        describe(&decision.status)[5..],
        [
            "- first[0] ConfigMap harbor/a NotApplied: is being deleted, held by \
             ferry.example/keep; the plan creates it again after the deletion"
        ]
    );
    assert_same!(run(&spec, &mut server)[0], "Ready");
    assert_eq!(server.objects.len(), 2);
}

#[test]
fn object_deleted_after_apply_is_reported_and_not_recreated() {
    let mut server = Server::new();
    run(&ferry(), &mut server);
    server.objects.remove(&identity(&deployment("ferry")));
    let said = run(&ferry(), &mut server);
    assert_same!(
        said[3..],
        [
            READY[3],
            "Ready False MembersNotReady 1 object: Deployment.apps harbor/ferry is gone",
            "Drifted True MembersDrifted 1 object: Deployment.apps harbor/ferry is gone",
            "- operator[0] Deployment.apps harbor/ferry Missing: is gone",
        ]
    );
    assert_eq!(server.objects.len(), 3);
}

#[test]
fn object_deleted_during_apply_is_recreated() {
    let mut server = Server::new();
    server.stuck = [identity(&deployment("ferry"))].into();
    run(&ferry(), &mut server);
    server.objects.remove(&identity(&namespace()));
    server.objects.remove(&identity(&deployment("ferry")));
    run(&ferry(), &mut server);
    assert_eq!(server.objects.len(), 4);
    server.stuck.clear();
    assert_same!(run(&ferry(), &mut server), READY);
}
