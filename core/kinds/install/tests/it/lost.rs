//! Tests of reads and writes that get no answer, for a while or forever.

use portolan_core_install::{Outcome, Step};
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::json;

use crate::decide::{READY, definition, deployment, describe, ferry, namespace, run, ship};
use crate::kit::{config_map, stage};
use crate::model::{End, Server, identity};
use crate::shell::Shell;

const BUSY: &str = "too many requests, \"slow down\"";
const TRIED: &str = "will be written again, because it is unknown if the write succeeded: too many \
                     requests, \"slow down\"";

fn lost() -> Outcome {
    Outcome::Lost(BUSY.to_owned())
}

#[test]
fn reports_write_without_an_answer_in_the_status_of_its_object() {
    let spec = json!({"stages": [stage("all", &[config_map("a"), config_map("b")])]});
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, Some(1)), End::Stopped);
    let decision = shell.decide(&server);
    assert_eq!(decision.steps.len(), 2);
    let status = shell.after(decision, &[lost(), Outcome::Again]);
    assert_same!(
        describe(&status)[3..],
        [
            format!("Applied False Applying ConfigMap harbor/a {TRIED}"),
            "Ready False Waiting waiting until the plan is applied".to_owned(),
            format!("- all[0] ConfigMap harbor/a NotApplied: {TRIED}"),
            "- all[1] ConfigMap harbor/b NotApplied: is not applied yet".to_owned(),
        ]
    );
}

/// The API server cannot call a webhook. It rejects the write, or the result of the write is
/// unknown.
#[rstest]
#[case::refused(Outcome::Refused)]
#[case::lost(Outcome::Lost)]
fn status_has_a_field_for_the_failing_webhook(#[case] outcome: fn(String) -> Outcome) {
    let spec = json!({"stages": [stage("all", &[config_map("a"), config_map("b")])]});
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, Some(1)), End::Stopped);
    let decision = shell.decide(&server);
    let message = "Internal error occurred: failed calling webhook \"pilot.example\": refused";
    let status = shell.after(decision, &[outcome(message.to_owned()), Outcome::Again]);
    let webhooks = status
        .members
        .iter()
        .map(|it| it.failing_webhook.as_deref());
    assert_eq!(webhooks.collect::<Vec<_>>(), [Some("pilot.example"), None]);
}

#[test]
fn refused_writes_are_reported_before_lost_writes() {
    let mut all = stage("all", &[config_map("a"), config_map("b")]);
    all["order"] = json!("Any");
    let mut server = Server::new();
    let mut shell = Shell::new(&json!({"stages": [all]}), &server);
    assert_eq!(shell.run(&mut server, Some(1)), End::Stopped);
    let decision = shell.decide(&server);
    let status = shell.after(decision, &[lost(), Outcome::Refused("no".to_owned())]);
    assert_same!(
        describe(&status)[3],
        "Applied False WriteRejected ConfigMap harbor/b is refused: no"
    );
}

/// Makes the plan record that an object that it created no longer exists.
fn forgotten(shell: &mut Shell, server: &mut Server) {
    let stop = server.writes + 1;
    assert_eq!(shell.run(server, Some(stop)), End::Stopped);
}

#[test]
fn unsuccessful_revert_does_not_change_the_report() {
    let mut spec = ferry();
    spec["lifecycle"] = json!({"onDeletion": "Recreate"});
    let mut server = Server::new();
    run(&spec, &mut server);
    server.objects.remove(&identity(&deployment("ferry")));
    let mut shell = Shell::new(&spec, &server);
    forgotten(&mut shell, &mut server);
    let decision = shell.decide(&server);
    assert!(matches!(decision.steps[..], [Step::Create { .. }]));
    let object = "Deployment.apps harbor/ferry";
    let status = shell.after(decision, &[lost()]);
    assert_same!(
        describe(&status)[3..],
        [
            READY[3].to_owned(),
            format!("Ready False MembersNotReady 1 object: {object} is gone"),
            format!("Drifted True MembersDrifted {object} {TRIED}"),
            format!("- operator[0] {object} Missing: {TRIED}"),
        ]
    );
}

const UNANSWERED: &str = "cannot be checked, and is retried: conversion webhook failed";

/// The plan itself may contain the program that must answer for an object, so the plan must not
/// wait for it.
#[test]
fn missing_conversion_server_is_recreated_while_it_is_missing() {
    let mut spec = ferry();
    spec["lifecycle"] = json!({"onDeletion": "Recreate"});
    let mut server = Server::new();
    run(&spec, &mut server);
    server.unanswered = [identity(&ship("one"))].into();
    server.objects.remove(&identity(&deployment("ferry")));
    let mut shell = Shell::new(&spec, &server);
    forgotten(&mut shell, &mut server);
    let decision = shell.decide(&server);
    assert!(
        matches!(&decision.steps[..], [Step::Create { .. }]),
        "{:?}",
        decision.steps
    );
    assert_same!(
        describe(&decision.status)[3..],
        [
            READY[3].to_owned(),
            "Ready False MembersNotReady 2 objects: Deployment.apps harbor/ferry is gone"
                .to_owned(),
            "Drifted True MembersDrifted 1 object: Deployment.apps harbor/ferry is gone".to_owned(),
            "- operator[0] Deployment.apps harbor/ferry Missing: is gone".to_owned(),
            format!("- operator[1] Ship.ferry.example harbor/one NotReady: {UNANSWERED}"),
        ]
    );
    // When the program answers again, the status is the same as before.
    assert_eq!(shell.run(&mut server, None), End::Rest);
    server.unanswered.clear();
    assert_same!(run(&spec, &mut server)[..5], READY);
}

#[test]
fn stage_waits_for_objects_without_an_answer() {
    let mut server = Server::new();
    let mut shell = Shell::new(&ferry(), &server);
    shell.run(&mut server, Some(5));
    server.unanswered = [identity(&ship("one"))].into();
    assert_eq!(shell.run(&mut server, None), End::Rest);
    let object = "Ship.ferry.example harbor/one";
    assert_same!(
        describe(&server.status)[3..],
        [
            format!("Applied False Applying stage 2 of 2 (operator): {object} {UNANSWERED}"),
            "Ready False Waiting waiting until the plan is applied".to_owned(),
            format!("- operator[1] {object} NotApplied: {UNANSWERED}"),
        ]
    );
    server.unanswered.clear();
    assert_same!(run(&ferry(), &mut server), READY);
}

/// The objects of an earlier stage were applied before, so the plan continues although it gets no
/// answer for them.
#[test]
fn later_stage_continues_without_unanswered_objects() {
    let spec = json!({"stages": [
        stage("first", &[namespace(), definition(), ship("one")]),
        stage("second", &[config_map("a"), deployment("ferry")]),
    ]});
    let mut server = Server::new();
    server.stuck = [identity(&deployment("ferry"))].into();
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_eq!(server.status.stage.as_ref().map(|it| it.index), Some(1));
    let map = identity(&config_map("a"));
    server.objects.remove(&map).expect("it was made");
    server.unanswered = [identity(&ship("one"))].into();
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert!(server.objects.contains_key(&map));
}

/// An object without an answer does not count as deleted. The plan does not give up its deletion
/// either.
#[test]
fn deletion_waits_for_objects_without_an_answer() {
    let mut server = Server::new();
    let mut spec = ferry();
    spec["abandonAfterSeconds"] = json!(30);
    spec["lifecycle"] = json!({"onPlanDeletion": "Delete"});
    run(&spec, &mut server);
    server.terminating_since = Some(server.now);
    server.unanswered = [identity(&ship("one"))].into();
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    server.later(3_600);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert!(server.has_finalizer && !server.is_gone);
    let all = describe(&server.status).join("\n");
    assert!(all.contains(UNANSWERED), "{all}");
    server.unanswered.clear();
    shell.run(&mut server, None);
    assert!(server.is_gone);
}

#[test]
fn plan_reports_that_no_object_can_be_read() {
    let server = Server::new();
    let shell = Shell::new(&ferry(), &server);
    assert_same!(
        describe(&shell.lookup_failed(BUSY)),
        [
            "Pending".to_owned(),
            format!(
                "Valid Unknown NotObserved an object cannot be checked, and is retried: {BUSY}"
            ),
            "Permitted Unknown Waiting waiting until the plan is valid".to_owned(),
            "Applied False Waiting waiting until the plan is valid".to_owned(),
            "Ready False Waiting waiting until the plan is applied".to_owned(),
        ]
    );
}

/// Each case sets when an object can no longer be read, and contains the expected status.
#[rstest]
#[case::partly_applied(
    Some(2),
    "Applied False Applying an object cannot be checked, and is retried: no answer"
)]
#[case::all_applied(None, READY[3])]
fn known_status_of_a_plan_is_kept(#[case] stop_after: Option<usize>, #[case] applied: &str) {
    let mut server = Server::new();
    Shell::new(&ferry(), &server).run(&mut server, stop_after);
    let mut shell = Shell::new(&ferry(), &server);
    shell.decide(&server);
    let status = shell.lookup_failed("no answer");
    let mut expected = describe(&server.status);
    applied.clone_into(&mut expected[3]);
    assert_same!(describe(&status), expected);

    // The message of a later failure is not reported. Otherwise, the status would be written again
    // and again.
    server.status = status.clone();
    shell.decide(&server);
    assert_same!(shell.lookup_failed("no answer either"), status);
}
