use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::read_value;

fn release(version: &str, state: &str) -> Value {
    json!({"version": version, "state": state, "image": "registry.example/release"})
}

#[rstest]
#[case::without_a_history(json!([]), "4.16.2")]
#[case::update_completed(json!([release("4.16.2", "Completed"), release("4.15.9", "Completed")]), "4.16.2")]
#[case::update_in_progress(json!([release("4.16.2", "Partial"), release("4.15.9", "Completed")]), "4.15.9")]
#[case::installation_in_progress(json!([release("4.16.2", "Partial")]), "4.16.2")]
fn openshift_version_is_the_newest_completed_one(#[case] history: Value, #[case] expected: &str) {
    let object = json!({
        "metadata": {"name": "version"},
        "spec": {"clusterID": "c"},
        "status": {"desired": {"version": "4.16.2"}, "history": history},
    });
    let (version, faults) = read_value::<ClusterVersion>(object).expect("a ClusterVersion");
    assert_eq!(faults, []);
    assert_eq!(version.version(), expected);
}

#[test]
fn empty_cluster_version_has_no_version() {
    assert_eq!(ClusterVersion::default().version(), "");
}
