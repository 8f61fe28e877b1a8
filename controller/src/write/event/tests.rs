use k8s_openapi::api::core::v1::Event;
use portolan_api::OperatorPolicy;
use portolan_core_operatorpolicy::ComplianceEvent;
use rstest::rstest;
use serde_json::{Value, json};

use super::{event_of, recorder};

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
#[case::about_itself_without_an_owner(
    Value::Null, true, (itself(), "etcd.1886caf2450d68ba", "Normal")
)]
fn change_of_compliance_becomes_an_event(
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
        recorder("pod-1").event(event_of(&policy(owners), &news(is_compliant))),
        expected
    );
}
