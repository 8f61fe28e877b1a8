//! Tests which plans have a finalizer.

use portolan_core_install::Step;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{ferry, run};
use crate::model::{End, Server};
use crate::removal::deleting;
use crate::shell::Shell;

#[test]
fn finalizer_is_added_before_the_first_object() {
    let spec = deleting(ferry());
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, Some(1)), End::Stopped);
    assert!(server.status.record.is_some() && !server.has_finalizer);
    assert_same!(shell.decide(&server).steps, [Step::AddFinalizer]);
    assert_eq!(shell.run(&mut server, Some(2)), End::Stopped);
    assert!(server.objects.is_empty() && server.has_finalizer);
}

/// The deletion policy of the plan alone decides about the finalizer, even if the plan has other
/// problems.
#[rstest]
#[case::no_other_problem(|_: &mut Value, _: &mut Server| {})]
#[case::suspended(|spec: &mut Value, _: &mut Server| spec["suspend"] = json!(true))]
#[case::permissions_are_missing(|_: &mut Value, server: &mut Server| server.is_allowed = false)]
#[case::partly_applied(|_: &mut Value, server: &mut Server| {
    server.status.conditions.retain(|condition| condition.type_ != "Applied");
})]
fn finalizer_follows_the_deletion_policy(#[case] change: fn(&mut Value, &mut Server)) {
    let mut server = Server::new();
    let mut keeping = ferry();
    run(&keeping, &mut server);
    assert!(!server.has_finalizer);
    change(&mut keeping, &mut server);
    run(&deleting(keeping.clone()), &mut server);
    assert!(server.has_finalizer);
    server.is_abandoned = true;
    run(&deleting(keeping.clone()), &mut server);
    assert!(!server.has_finalizer);
    server.is_abandoned = false;
    run(&deleting(keeping.clone()), &mut server);
    assert!(server.has_finalizer);
    run(&keeping, &mut server);
    assert!(!server.has_finalizer);
    assert_eq!(server.deleted, Vec::<Value>::new());
}

#[test]
fn plan_that_wrote_nothing_has_no_finalizer() {
    let mut spec = deleting(ferry());
    spec["suspend"] = json!(true);
    let mut server = Server::new();
    run(&spec, &mut server);
    assert!(!server.has_finalizer);
}
