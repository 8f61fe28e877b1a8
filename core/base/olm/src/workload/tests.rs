use rstest::rstest;
use serde_json::json;

use super::*;
use crate::{FromJson, read_value};

fn counts<K: WorkloadKind + FromJson>(object: serde_json::Value) -> (i32, i32) {
    let (object, faults) = read_value::<K>(object).expect("a workload");
    assert_eq!(faults, []);
    let (_, spec, status) = object.workload();
    status.counts(spec)
}

#[rstest]
#[case::one_replica_by_default(json!({"status": {"readyReplicas": 1}}), (1, 1))]
#[case::scaled(json!({"spec": {"replicas": 3}, "status": {"readyReplicas": 2}}), (2, 3))]
#[case::scaled_to_zero(json!({"spec": {"replicas": 0}}), (0, 0))]
fn ready_and_desired_replicas_are_counted(
    #[case] object: serde_json::Value,
    #[case] expected: (i32, i32),
) {
    assert_eq!(counts::<AnyDeployment>(object.clone()), expected);
    assert_eq!(counts::<StatefulSet>(object), expected);
}

#[test]
fn ready_and_desired_nodes_of_a_daemon_set_are_counted() {
    let object = json!({"status": {"desiredNumberScheduled": 4, "numberReady": 1}});
    assert_eq!(counts::<DaemonSet>(object), (1, 4));
}
