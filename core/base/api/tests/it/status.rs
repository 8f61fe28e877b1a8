//! Tests of the status. Unknown values are not written, and unknown fields are ignored when it is
//! read.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, MicroTime, Time};
use portolan_api::{
    Blocked, BlockingObject, Bundle, Compliance, HistoryEvent, Installed, Metadata, Next, Object,
    OperatorPolicy, OperatorPolicyStatus, Properties, RelatedObject, RemainingObject,
    RemovalRecord, RemovedObject, Upgrades,
};
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::policies::manifest;

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn time() -> Time {
    serde_json::from_value(json!("2024-05-01T10:00:00Z")).expect("a time")
}

fn micro_time() -> MicroTime {
    serde_json::from_value(json!("2024-05-01T10:00:00.000001Z")).expect("a time")
}

fn bundle() -> Bundle {
    Bundle {
        channel: text("stable"),
        name: "etcdoperator.v0.9.4".to_owned(),
        version: text("0.9.4"),
    }
}

/// Returns a status with a value in every field.
pub(crate) fn whole() -> OperatorPolicyStatus {
    OperatorPolicyStatus {
        compliant: Some(Compliance::NonCompliant),
        conditions: vec![Condition {
            last_transition_time: time(),
            message: "the policy is valid".to_owned(),
            observed_generation: Some(7),
            reason: "PolicyValidated".to_owned(),
            status: "True".to_owned(),
            type_: "ValidPolicySpec".to_owned(),
        }],
        history: vec![HistoryEvent {
            last_timestamp: Some(micro_time()),
            message: text("NonCompliant; an upgrade waits"),
        }],
        observed_generation: Some(7),
        overlapping_policies: vec!["etcd.managed".to_owned()],
        related_objects: vec![related()],
        removal: Some(removal()),
        resolved_subscription_label: text("etcd.databases"),
        subscription_intervention_time: Some(time()),
        upgrades: Some(upgrades()),
    }
}

fn related() -> RelatedObject {
    RelatedObject {
        compliant: text("Compliant"),
        object: Object {
            api_version: "operators.coreos.com/v1alpha1".to_owned(),
            kind: "Subscription".to_owned(),
            metadata: Metadata {
                name: "etcd".to_owned(),
                namespace: text("databases"),
            },
        },
        properties: Some(Properties {
            created_by_policy: Some(true),
            uid: text("0b7c"),
        }),
        reason: text("Resource found as expected"),
    }
}

fn upgrades() -> Upgrades {
    Upgrades {
        available: vec![bundle()],
        blocked: vec![Blocked {
            message: text("nobody allows etcdoperator.v0.9.4"),
            object: Some(BlockingObject {
                api_version: "operators.coreos.com/v1alpha1".to_owned(),
                kind: "InstallPlan".to_owned(),
                name: "install-x".to_owned(),
                namespace: text("databases"),
            }),
            reason: text("NotAllowed"),
        }],
        installed: Some(Installed {
            name: "etcdoperator.v0.9.2".to_owned(),
            version: text("0.9.2"),
        }),
        next: Some(Next {
            channel: text("stable"),
            name: "etcdoperator.v0.9.4".to_owned(),
            plan: text("install-x"),
            version: text("0.9.4"),
        }),
        path: vec![bundle()],
        target: Some(bundle()),
    }
}

fn removal() -> RemovalRecord {
    RemovalRecord {
        objects: vec![RemovedObject {
            api_version: "operators.coreos.com/v1alpha1".to_owned(),
            kind: "Subscription".to_owned(),
            name: "etcd".to_owned(),
            namespace: text("databases"),
            state: text("Gone"),
            uid: text("0b7c"),
        }],
        phase: text("Definitions"),
        remaining: vec![RemainingObject {
            api_version: "etcd.database.coreos.com/v1beta2".to_owned(),
            finalizers: vec!["etcd.io/backup".to_owned()],
            kind: "EtcdCluster".to_owned(),
            name: "prod".to_owned(),
            namespace: text("databases"),
        }],
        started: Some(time()),
    }
}

#[test]
fn serialized_status_is_parsed_to_an_equal_status() {
    let written = serde_json::to_value(whole()).expect("JSON");
    let read: OperatorPolicyStatus = serde_json::from_value(written).expect("a status");
    assert_eq!(read, whole());
}

#[test]
fn unknown_values_are_omitted() {
    let nothing = serde_json::to_value(OperatorPolicyStatus::default()).expect("JSON");
    assert_eq!(nothing, json!({}));
    let little = OperatorPolicyStatus {
        related_objects: vec![RelatedObject::default()],
        upgrades: Some(Upgrades {
            next: Some(Next::default()),
            ..Upgrades::default()
        }),
        ..OperatorPolicyStatus::default()
    };
    let little = serde_json::to_value(little).expect("JSON");
    assert_eq!(
        little,
        json!({"relatedObjects": [{}], "upgrades": {"next": {}}})
    );
}

#[test]
fn status_written_by_another_controller_is_parsed() {
    let status = manifest("design/story-3").status.expect("a status");
    let types: Vec<_> = status
        .conditions
        .iter()
        .map(|each| each.type_.as_str())
        .collect();
    assert_eq!(types, ["Compliant", "InstallPlanPending"]);
    assert_eq!(status.compliant, Some(Compliance::NonCompliant));
    assert_eq!(
        status.related_objects[0].object.metadata.name,
        "install-ww7c2"
    );
}

#[test]
fn ignores_nulls_and_unknown_fields() {
    let json = json!({
        "metadata": {"name": "etcd"},
        "spec": {},
        "status": {
            "observedGeneration": 7,
            "mood": "fine",
            "upgrades": {"soon": [], "path": null},
            "relatedObjects": null,
        },
    });
    let policy: OperatorPolicy = serde_json::from_value(json).expect("a policy");
    let expected = OperatorPolicyStatus {
        observed_generation: Some(7),
        upgrades: Some(Upgrades::default()),
        ..OperatorPolicyStatus::default()
    };
    assert_eq!(policy.status, Some(expected));
}

#[test]
fn policy_is_serialized_unchanged() {
    let policy = manifest("design/syntax");
    let written = serde_json::to_value(&policy).expect("JSON");
    assert_eq!(written["kind"], json!("OperatorPolicy"));
    assert_eq!(
        written["apiVersion"],
        json!("policy.open-cluster-management.io/v1beta1")
    );
    assert_eq!(&written["spec"], policy.spec.as_json());
    assert_eq!(written.get("status"), None::<&Value>);
}
