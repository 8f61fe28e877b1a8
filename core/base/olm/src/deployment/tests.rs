use portolan_kit::world;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::read_value;

fn deployment(object: Value) -> Deployment {
    let (deployment, faults) = read_value::<Deployment>(object).expect("a Deployment");
    assert_eq!(faults, []);
    deployment
}

#[test]
fn replicas_and_owner_of_a_deployment_are_read() {
    let world = world()
        .csv("ferry.v1.2.0", "Succeeded")
        .deployment("ferry", 1, 3)
        .deadline_exceeded();
    let ferry = deployment(world.objects()[1].clone());
    assert_eq!(ferry.owner(), Some("ferry.v1.2.0"));
    assert_eq!(ferry.spec.replicas, Some(3));
    let selector = ferry.selector().map(|selector| selector.to_string());
    assert_eq!(selector.as_deref(), Some("operator=ferry"));
    let DeploymentStatus { conditions, .. } = &ferry.status;
    let reasons: Vec<_> = conditions.iter().map(|said| &*said.reason).collect();
    let expected = ["MinimumReplicasUnavailable", "ProgressDeadlineExceeded"];
    assert_eq!(reasons, expected);
    let counts = DeploymentStatus {
        observed_generation: 1,
        replicas: 3,
        updated_replicas: 3,
        ready_replicas: 1,
        available_replicas: 1,
        conditions: conditions.clone(),
    };
    assert_eq!(ferry.status, counts);
}

#[rstest]
#[case::null_selector(json!(null))]
#[case::empty(json!({}))]
#[case::unknown_operator(
    json!({"matchExpressions": [{"key": "app", "operator": "Near", "values": ["a"]}]})
)]
fn deployment_with_an_invalid_selector_has_no_selector(#[case] selector: Value) {
    let ferry = deployment(json!({"spec": {"selector": selector}}));
    assert_eq!(ferry.selector(), None);
}

#[test]
fn revision_and_owner_of_a_replica_set_are_read() {
    let world = world()
        .deployment("ferry", 1, 1)
        .stamped("d-1", "7")
        .replica_set("ferry-6f", 4, 2)
        .condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota");
    let object = world.objects()[1].clone();
    let (edition, faults) = read_value::<ReplicaSet>(object).expect("a ReplicaSet");
    assert_eq!(faults, []);
    assert_eq!(edition.revision(), Some(4));
    assert_eq!(edition.owner_uid(), Some("d-1"));
    assert_eq!(edition.spec.replicas, Some(2));
    assert_eq!(edition.status.conditions[0].reason, "FailedCreate");
    assert_eq!(ReplicaSet::default().revision(), None);
    assert_eq!(ReplicaSet::default().owner_uid(), None);
}

/// The label of a Deployment may name an older ClusterServiceVersion than the owner reference.
#[test]
fn reads_owners_and_other_writers() {
    let entry = |manager: &str, time: &str, subresource: Option<&str>| serde_json::json!({"manager": manager, "time": time, "subresource": subresource});
    let object = serde_json::json!({"metadata": {
        "labels": {"olm.owner": "ferry.v1"},
        "annotations": {"argocd.argoproj.io/tracking-id": "edge:apps/Deployment:demo/ferry"},
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1"},
            {"apiVersion": "v1", "kind": "ClusterServiceVersion", "name": "ferry.v2", "uid": "2"},
        ],
        "managedFields": [
            entry("kubectl-edit", "2026-01-01T00:00:00Z", None),
            entry("argocd-controller", "2026-01-02T00:00:00Z", None),
            entry("olm", "2026-01-03T00:00:00Z", None),
            entry("autoscaler", "2026-01-04T00:00:00Z", Some("scale")),
        ],
    }});
    let (ferry, faults) = crate::read_value::<Deployment>(object).expect("a Deployment");
    assert_eq!(faults, []);
    assert_eq!(ferry.owner(), Some("ferry.v1"));
    assert_eq!(ferry.owning_csvs().collect::<Vec<_>>(), ["ferry.v2"]);
    assert_eq!(ferry.last_other_writer(), Some("argocd-controller"));
    assert_eq!(ferry.application(), Some("edge"));
    let (scaler, time) = ferry.last_scaler().expect("a scaler");
    let time = time.map(|time| time.0.to_string());
    assert_eq!(
        (scaler, time.as_deref()),
        ("autoscaler", Some("2026-01-04T00:00:00Z"))
    );
}

#[test]
fn schedule_of_kube_downscaler_is_in_annotations() {
    let annotations = serde_json::json!({
        "downscaler/uptime": "Mon-Fri 07:00-19:00 UTC", "downscaler/original-replicas": "2",
        "downscaler/exclude-until": "2026-01-01",
    });
    let object = serde_json::json!({"metadata": {"annotations": annotations}});
    let (ferry, _) = crate::read_value::<Deployment>(object).expect("a Deployment");
    let schedule: Vec<_> = crate::downscaler_schedule(&ferry.metadata).collect();
    let expected = [
        ("downscaler/uptime", "Mon-Fri 07:00-19:00 UTC"),
        ("downscaler/exclude-until", "2026-01-01"),
    ];
    assert_eq!(schedule, expected);
    assert_eq!(crate::original_replicas(&ferry.metadata), Some(2));
}
