//! Tests of the metrics of plans.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_api::plan::{ConditionType, InstallPlan, Intent, Status};
use portolan_core_install::{DriftTally, Drifting, time_to_ready};
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{deployment, run};
use crate::kit::{config_map, stage};
use crate::model::{Server, identity};
use crate::shell::Shell;

fn spec(lifecycle: Value) -> Value {
    json!({"lifecycle": lifecycle, "stages": [stage("all", &[config_map("a"), deployment("b")])]})
}

fn tally(spec: &Value, server: &Server) -> DriftTally {
    Shell::new(spec, server).decide(server).drift_tally()
}

fn known(drifted: u32, contested: u32) -> DriftTally {
    DriftTally::Known(Drifting { drifted, contested })
}

#[test]
fn counts_changes_and_deletions_by_other_clients() {
    let spec = spec(json!({}));
    let mut server = Server::new();
    assert_eq!(tally(&spec, &server), DriftTally::None);
    run(&spec, &mut server);
    assert_eq!(tally(&spec, &server), known(0, 0));
    server.edit(&config_map("a"), "/data/key", json!("other"), "editor");
    assert_eq!(tally(&spec, &server), known(1, 0));
    server.objects.remove(&identity(&deployment("b")));
    assert_eq!(tally(&spec, &server), known(2, 0));
}

#[test]
fn contested_members_are_counted_separately() {
    let spec = spec(json!({"onDrift": "Revert"}));
    let mut server = Server::new();
    run(&spec, &mut server);
    for _ in 0..4 {
        server.edit(&config_map("a"), "/data/key", json!("other"), "editor");
        run(&spec, &mut server);
    }
    assert_eq!(tally(&spec, &server), known(1, 1));
}

/// If facts cannot be read again, the last values stay valid. They become invalid when the plan no
/// longer depends on these facts.
#[test]
fn metrics_keep_the_last_value_while_facts_cannot_be_read() {
    let spec = spec(json!({"onPlanDeletion": "Delete"}));
    let mut server = Server::new();
    run(&spec, &mut server);
    let mut blind = Shell::new(&spec, &server);
    blind = blind.with(|observed| {
        observed.intent = Intent::parse(&InstallPlan::new("plan", json!({}).into()));
    });
    assert_eq!(blind.decide(&server).drift_tally(), DriftTally::AsBefore);
    server.terminating_since = Some(server.now);
    assert_eq!(tally(&spec, &server), DriftTally::None);
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("a time")
}

/// Returns a status with these conditions. The number is the transition time in seconds.
fn status(said: &[(&str, &str, i64)]) -> Status {
    let condition = |(type_, status, since): &(&str, &str, i64)| Condition {
        type_: (*type_).to_owned(),
        status: (*status).to_owned(),
        reason: "Any".to_owned(),
        message: String::new(),
        observed_generation: None,
        last_transition_time: Time(at(*since)),
    };
    Status {
        conditions: said.iter().map(condition).collect(),
        ..Status::default()
    }
}

const APPLIED: (&str, &str, i64) = ("Applied", "True", 40);
const READY: (&str, &str, i64) = ("Ready", "True", 60);
const WAITS: (&str, &str, i64) = ("Ready", "False", 11);

#[rstest]
#[case::waited_from_the_creation_on(&[WAITS], &[APPLIED, READY], Some(50))]
#[case::was_applied_before(&[APPLIED, WAITS], &[APPLIED, READY], Some(50))]
#[case::had_no_condition_before(&[], &[APPLIED, READY], Some(50))]
#[case::all_in_one_second(&[("Ready", "False", 40)], &[APPLIED, READY], Some(50))]
#[case::clock_is_behind(&[], &[("Applied", "True", 10), ("Ready", "True", 8)], Some(0))]
#[case::replaces_another_plan(&[WAITS, ("Replaced", "False", 11)], &[APPLIED, READY], Some(50))]
#[case::is_not_ready(&[WAITS], &[APPLIED, WAITS], None)]
#[case::was_ready(&[APPLIED, READY], &[APPLIED, READY], None)]
#[case::is_ready_again(&[APPLIED, ("Ready", "False", 50)], &[APPLIED, READY], None)]
#[case::took_its_objects_back(
    &[("Applied", "False", 31), ("Ready", "False", 30), ("Replaced", "False", 31)], &[APPLIED, READY], None
)]
fn only_the_first_ready_time_is_counted(
    #[case] before: &[(&str, &str, i64)],
    #[case] after: &[(&str, &str, i64)],
    #[case] seconds: Option<i64>,
) {
    let took = time_to_ready(at(10), &status(before), &status(after));
    assert_eq!(took, seconds.map(SignedDuration::from_secs));
}

/// The plan becomes ready for the first time only once, even if the same decision is made again.
#[test]
fn time_to_ready_is_counted_once() {
    let spec = spec(json!({"onDeletion": "Recreate"}));
    let mut server = Server::new();
    let created = server.now;
    let counted = |server: &mut Server| {
        let mut shell = Shell::new(&spec, server);
        let mut counted = 0;
        for _ in 0..50 {
            let before = server.status.clone();
            shell.round(server, None);
            counted += usize::from(time_to_ready(created, &before, &server.status).is_some());
            server.tick();
        }
        counted
    };
    assert_eq!(counted(&mut server), 1);
    server.objects.remove(&identity(&deployment("b")));
    server.later(9);
    assert_eq!(counted(&mut server), 0);
    assert!(server.status.is_true(ConditionType::Ready));
}
