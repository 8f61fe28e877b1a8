//! Tests which deletions are given up after `abandonAfterSeconds`.

use jiff::SignedDuration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::plan::Reason;
use portolan_core_install::Account;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::run;
use crate::kit::{config_map, stage};
use crate::model::{Server, identity};
use crate::removal::{deleted, deleting};
use crate::shell::Shell;

/// A deletion that stays blocked is given up after this time.
#[rstest]
#[case::account_is_deleted(|server: &mut Server| server.account = Account::Missing, 600, true)]
#[case::account_is_missing_for_a_while(|server: &mut Server| server.account = Account::Missing, 599, false)]
#[case::finalizer_remains(|server: &mut Server| server.hold(&config_map("b"), "a/b"), 600, true)]
#[case::delete_is_rejected(|server: &mut Server| server.refuses = [identity(&config_map("b"))].into(), 600, true)]
fn lasting_obstacle_abandons_the_deletion(
    #[case] change: fn(&mut Server),
    #[case] seconds: i64,
    #[case] expected: bool,
) {
    let mut spec = deleting(json!({"stages": [stage("one", &[config_map("a"), config_map("b")])]}));
    spec["abandonAfterSeconds"] = json!(600);
    let mut server = deleted(&spec);
    change(&mut server);
    run(&spec, &mut server);
    assert!(!server.is_gone);
    server.later(seconds);
    let decision = Shell::new(&spec, &server).decide(&server);
    run(&spec, &mut server);
    assert_eq!(server.is_gone, expected);
    assert!(server.objects.contains_key(&identity(&config_map("a"))));
    if !expected {
        assert_eq!(
            decision.until,
            Some(server.now + SignedDuration::from_secs(1))
        );
        return;
    }
    let event = server.events.last().expect("an event");
    assert_eq!(event.reason, Reason::ObjectsRemain);
    assert!(
        event
            .message
            .starts_with("the plan is deleted, and its objects are kept: "),
        "{event:?}"
    );
    assert!(event.message.contains("ConfigMap harbor/a"), "{event:?}");
}

/// The controller was stopped for a long time. After that, it still deletes the objects that can be
/// deleted.
#[test]
fn deletion_with_progress_is_not_abandoned() {
    let mut spec = deleting(json!({"stages": [stage("one", &[config_map("a"), config_map("b")])]}));
    spec["abandonAfterSeconds"] = json!(600);
    let mut server = deleted(&spec);
    server.hold(&config_map("b"), "a/b");
    server.held.clear();
    server.later(6_000);
    run(&spec, &mut server);
    assert!(server.is_gone && server.objects.is_empty());
}

/// A deletion is not given up in its first thirty seconds, even if the plan sets a shorter time.
#[test]
fn deletion_is_abandoned_after_thirty_seconds_at_the_earliest() {
    let mut spec = deleting(json!({"stages": [stage("one", &[config_map("a")])]}));
    spec["abandonAfterSeconds"] = json!(5);
    let mut server = deleted(&spec);
    server.denies = ["delete"].into();
    run(&spec, &mut server);
    server.later(29);
    run(&spec, &mut server);
    assert!(!server.is_gone);
    server.later(1);
    run(&spec, &mut server);
    assert!(server.is_gone);
}

/// Returns a plan whose deletion takes long. A finalizer delays the deletion of its second object,
/// which is deleted first.
fn long_deletion() -> (Value, Server) {
    let all = [config_map("a"), config_map("b")];
    let mut spec = deleting(json!({"stages": [stage("one", &all)]}));
    spec["abandonAfterSeconds"] = json!(600);
    let mut server = deleted(&spec);
    server.hold(&config_map("b"), "a/b");
    run(&spec, &mut server);
    (spec, server)
}

/// The deletion is blocked only for a short time at its end.
#[rstest]
#[case::permission_is_lost(|server: &mut Server, is_lost: bool| server.is_allowed = !is_lost)]
#[case::account_is_deleted(|server: &mut Server, is_lost: bool| {
    server.account = if is_lost { Account::Missing } else { Account::There };
})]
#[case::reads_fail(|server: &mut Server, is_lost: bool| server.hides_objects = is_lost)]
fn short_interruption_of_a_long_deletion_does_not_abandon_it(#[case] lose: fn(&mut Server, bool)) {
    let (spec, mut server) = long_deletion();
    server.later(599);
    run(&spec, &mut server);
    assert_eq!(server.status.deletion_blocked_since, None);
    server.held.clear();
    lose(&mut server, true);
    for _ in 0..20 {
        server.later(29);
        run(&spec, &mut server);
    }
    assert!(!server.is_gone, "it is blocked for less than 600 seconds");
    let since = server.status.deletion_blocked_since.clone();
    assert_eq!(
        since,
        Some(Time(server.now - SignedDuration::from_secs(19 * 29)))
    );
    lose(&mut server, false);
    run(&spec, &mut server);
    assert!(server.is_gone && server.objects.is_empty());
    let mut events = server.events.iter();
    assert!(events.all(|event| event.reason != Reason::ObjectsRemain));
}

/// A new process uses the start time in the status.
#[test]
fn lasting_block_is_abandoned_across_restarts() {
    let (spec, mut server) = long_deletion();
    server.later(599);
    server.held.clear();
    server.is_allowed = false;
    run(&spec, &mut server);
    server.later(599);
    run(&spec, &mut server);
    assert!(!server.is_gone);
    server.later(1);
    run(&spec, &mut server);
    assert!(server.is_gone);
}

/// After the deletion has made progress, the time limit starts again.
#[test]
fn time_limit_restarts_after_progress_of_the_deletion() {
    let (spec, mut server) = long_deletion();
    server.is_allowed = false;
    run(&spec, &mut server);
    assert!(server.status.deletion_blocked_since.is_some());
    server.later(20);
    server.is_allowed = true;
    run(&spec, &mut server);
    assert_eq!(server.status.deletion_blocked_since, None);
}
