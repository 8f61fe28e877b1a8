use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;
use portolan_api::OperatorPolicy;
use portolan_core_operatorpolicy::ComplianceEvent;
use rstest::rstest;
use serde_json::{Value, json};

use super::{event, event_name, mark};

fn policy(owners: Value) -> OperatorPolicy {
    serde_json::from_value(json!({
        "metadata": {
            "name": "etcd", "namespace": "local", "uid": "u-1", "ownerReferences": owners,
        },
        "spec": {},
    }))
    .expect("a policy")
}

fn news(is_compliant: bool) -> ComplianceEvent {
    ComplianceEvent {
        is_compliant,
        message: "NonCompliant; the Subscription is missing".to_owned(),
        at: "2026-01-02T03:04:05.678901999Z".parse().expect("a time"),
    }
}

fn itself() -> Value {
    json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1",
        "kind": "OperatorPolicy",
        "namespace": "local",
        "name": "etcd",
        "uid": "u-1",
    })
}

fn parent() -> Value {
    json!({
        "apiVersion": "policy.open-cluster-management.io/v1",
        "kind": "Policy",
        "namespace": "local",
        "name": "default.parent",
        "uid": "u-2",
    })
}

fn owner(name: &str, uid: &str) -> Value {
    json!({
        "apiVersion": "policy.open-cluster-management.io/v1",
        "kind": "Policy",
        "name": name,
        "uid": uid,
    })
}

#[rstest]
#[case::about_its_owner(
    json!([owner("default.parent", "u-2"), owner("other", "u-3")]),
    false,
    (parent(), "default.parent.1886caf2450d68ba", "Warning")
)]
#[case::about_itself_where_nobody_owns_it(
    Value::Null, true, (itself(), "etcd.1886caf2450d68ba", "Normal")
)]
fn news_as_an_event(
    #[case] owners: Value,
    #[case] is_compliant: bool,
    #[case] (about, name, kind): (Value, &str, &str),
) {
    let expected: Event = serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "local"},
        "involvedObject": about,
        "related": itself(),
        "reason": "policy: local/etcd",
        "message": "NonCompliant; the Subscription is missing",
        "source": {"component": "operator-policy-controller", "host": "pod-1"},
        "reportingComponent": "operator-policy-controller",
        "reportingInstance": "pod-1",
        "action": "ComplianceStateUpdate",
        "type": kind,
        "count": 1,
        "firstTimestamp": "2026-01-02T03:04:05.678901999Z",
        "lastTimestamp": "2026-01-02T03:04:05.678901999Z",
    }))
    .expect("an event");
    assert_eq!(
        event(&policy(owners), &news(is_compliant), "pod-1"),
        expected
    );
}

#[rstest]
#[case::as_long_as_can_be("a".repeat(236), "a".repeat(236))]
#[case::longer_than_that("a".repeat(253), "a".repeat(236))]
#[case::cut_before_a_dot(format!("{}.{}", "a".repeat(235), "b".repeat(17)), "a".repeat(235))]
fn a_long_name_leaves_room_for_the_instant(#[case] owner: String, #[case] expected: String) {
    let at: Timestamp = "2026-01-02T03:04:05.678901Z".parse().expect("a time");
    assert_eq!(
        event_name(&owner, (at, "u-1")),
        format!("{expected}.1886caf2450d68ba")
    );
}

#[rstest]
#[case::another_policy(("2026-01-02T03:04:05.678901Z", "u-2"), false)]
#[case::another_instant(("2026-01-02T03:04:05.678902Z", "u-1"), false)]
#[case::the_same_at_that_microsecond(("2026-01-02T03:04:05.678901999Z", "u-1"), true)]
fn two_events_of_one_owner_have_one_name_if_the_other_is_of(
    #[case] (at, uid): (&str, &str),
    #[case] is_same: bool,
) {
    let name = |at: &str, uid| event_name("default.parent", (at.parse().expect("a time"), uid));
    let is = name("2026-01-02T03:04:05.678901Z", "u-1") == name(at, uid);
    assert_eq!(is, is_same);
}

#[test]
fn the_name_of_an_event_has_the_microsecond_of_the_history() {
    let at: Timestamp = "2026-01-02T03:04:05.678901Z".parse().expect("a time");
    for uid in 0..5_000 {
        let uid = uid.to_string();
        assert!(mark(&uid) < 1_000);
        let name = event_name("etcd", (at, &uid));
        let nanos = name.strip_prefix("etcd.").expect("the owner");
        let nanos = i64::from_str_radix(nanos, 16).expect("nanoseconds");
        assert_eq!(nanos / 1_000, at.as_microsecond());
    }
}
