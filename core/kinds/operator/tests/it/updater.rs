//! Tests of the updater's entries in the status of an Operator.

use portolan_api::operator::UPDATES;
use serde_json::json;
use similar_asserts::assert_eq;

use crate::cluster::Cluster;

/// Returns the conditions of ferry, by type.
fn types(cluster: &Cluster) -> Vec<String> {
    let conditions = cluster.status("ferry").conditions.iter();
    conditions
        .map(|condition| condition.type_.clone())
        .collect()
}

fn says(cluster: &mut Cluster, type_: &str) {
    let condition = json!({
        "type": type_, "status": "True", "reason": "So", "message": "so it is",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    let condition = serde_json::from_value(condition).expect("a condition");
    let status = cluster.operators.get_mut("ferry").expect("it");
    let status = status.status.get_or_insert_default();
    status.conditions.push(condition);
}

#[test]
fn keeps_conditions_of_other_clients_and_removes_updater_condition() {
    let mut cluster = Cluster::with_ferry_installed();
    says(&mut cluster, UPDATES);
    says(&mut cluster, "example.com/Audited");
    let own = ["Ready", "Installing", "UpgradeAvailable"];
    let all = [&own[..], &[UPDATES, "example.com/Audited"]].concat();
    cluster.settle();
    assert_eq!(types(&cluster), all);

    cluster.is_updater_gone = true;
    cluster.settle();
    let all = [&own[..], &["example.com/Audited"]].concat();
    assert_eq!(types(&cluster), all);
}
