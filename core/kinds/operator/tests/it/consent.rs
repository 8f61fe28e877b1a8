//! Tests of the moves that UpgradePolicies allow an Operator to make.

use portolan_core_operator::{Answer, CommonRoute, End, Policies, PolicyDecision};
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, move_to, wish};

fn closed(seconds: i64) -> Answer<PolicyDecision> {
    Answer::Known(PolicyDecision::Withheld {
        why: vec![
            "Policy weekends (by PolicyBinding all) opens its next time window at noon".to_owned(),
        ],
        until: Some(jiff::Timestamp::from_second(seconds).expect("a time")),
    })
}

/// Returns a cluster with policies. Version 1.0.0 of ferry is installed and must be upgraded.
fn with_policies() -> Cluster {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.policies = Policies::Seen([].into());
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster
}

#[test]
fn no_consent_is_requested_without_the_policy_crds() {
    let mut cluster = with_policies();
    cluster.policies = Policies::NotServed;
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
    assert_eq!(*cluster.consulted.borrow(), [""; 0]);
}

#[test]
fn consent_is_requested_before_each_hop() {
    let mut cluster = Cluster::with_ferry();
    cluster.policies = Policies::Unseen;
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    let mut asked = cluster.consulted.borrow().clone();
    asked.dedup();
    let expected = [
        "ferry: nothing -> 1.0.0",
        "ferry: 1.0.0 -> 1.1.0",
        "ferry: 1.1.0 -> 1.2.0",
    ];
    assert_eq!(asked, expected);
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

#[test]
fn valid_plan_waits_until_the_window_opens() {
    let mut cluster = with_policies();
    cluster
        .consents
        .insert("ferry.v1.1.0".to_owned(), closed(60));
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2"]);
    let expected = "False TimeRestricted: ferry.v1.1.0 waits: Policy weekends (by PolicyBinding \
                    all) opens its next time window at noon";
    assert_eq!(cluster.reported("ferry"), expected);
    let until = cluster.decide("ferry").until.map(|at| at.as_second());
    assert_eq!(until, Some(60));

    cluster.consents.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
    assert_eq!(cluster.decide("ferry").until, None);
}

#[test]
fn closing_window_does_not_stop_a_started_hop() {
    let mut cluster = with_policies();
    cluster.stuck.insert("ferry.v1.1.0".to_owned());
    cluster.settle();
    cluster
        .consents
        .insert("ferry.v1.1.0".to_owned(), closed(60));
    cluster
        .consents
        .insert("ferry.v1.2.0".to_owned(), closed(60));
    cluster.stuck.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
    assert!(
        cluster
            .reported("ferry")
            .starts_with("False TimeRestricted: ferry.v1.2.0 waits: ")
    );
}

#[test]
fn denied_hop_is_reported_without_a_retry_time() {
    let mut cluster = with_policies();
    let why = (1..=5).map(|number| format!("no {number}")).collect();
    let denied = Answer::Known(PolicyDecision::Withheld { why, until: None });
    cluster.consents.insert("ferry.v1.1.0".to_owned(), denied);
    cluster.settle();
    let expected = "False DeniedByPolicy: policies do not allow ferry.v1.1.0: no 1; no 2; no 3; \
                    and 2 more";
    assert_eq!(cluster.reported("ferry"), expected);
    assert_eq!(cluster.decide("ferry").until, None);
}

#[test]
fn no_hop_starts_without_an_answer() {
    let mut cluster = with_policies();
    let silent = Answer::Unavailable("approval does not answer".to_owned());
    cluster.consents.insert("ferry.v1.1.0".to_owned(), silent);
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2"]);
    let expected = "Unknown PolicyServiceUnavailable: it is unknown if policies allow \
                    ferry.v1.1.0: approval does not answer";
    assert_eq!(cluster.reported("ferry"), expected);
}

/// If two operators move together, both wait until the time windows of both are open. It has no
/// benefit if one operator starts earlier.
#[test]
fn policies_must_allow_all_partners_of_a_step() {
    let mut cluster = Cluster::with_ferry();
    cluster
        .packages
        .insert("rope".to_owned(), vec!["1.0.0", "1.1.0"]);
    for name in ["ferry", "rope"] {
        cluster.put(name, wish(name, "1.0.0"));
    }
    cluster.settle();
    cluster.take_written();
    cluster.policies = Policies::Seen([].into());
    cluster
        .consents
        .insert("rope.v1.1.0".to_owned(), closed(60));
    for name in ["ferry", "rope"] {
        cluster.put(name, wish(name, "1.1.0"));
    }
    let end = |package: &str| End {
        package: package.to_owned(),
        ..End::default()
    };
    cluster.routes = Some(vec![CommonRoute {
        steps: vec![vec![move_to("ferry", "1.1.0"), move_to("rope", "1.1.0")]],
        ends: vec![end("ferry"), end("rope")],
    }]);
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2", "make rope-2"]);
    let expected = "False TimeRestricted: rope.v1.1.0 waits, together with ferry: Policy weekends \
                    (by PolicyBinding all) opens its next time window at noon";
    assert_eq!(cluster.reported("ferry"), expected);
    cluster
        .consents
        .insert("ferry.v1.1.0".to_owned(), closed(90));
    let until = cluster.decide("ferry").until.map(|at| at.as_second());
    assert_eq!(until, Some(90));
}
