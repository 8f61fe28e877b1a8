use serde_json::json;

use super::*;
use crate::read_value;

fn node() -> Node {
    let taints = json!([
        {"key": "pier.example/deep", "effect": "NoSchedule"},
        {"key": CORDONED, "effect": "NoSchedule", "timeAdded": "2026-01-01T02:10:00Z"},
    ]);
    let metadata = json!({"name": "worker-3", "labels": {"pier.example/deep": "yes", "a": ""}});
    let spec = json!({"unschedulable": true, "taints": taints});
    let node = json!({"metadata": metadata, "spec": spec});
    read_value(node).expect("a node").0
}

#[test]
fn taint_of_kubernetes_has_the_time_of_the_cordon() {
    let since = node().cordoned_since().map(|Time(since)| since.to_string());
    assert_eq!(since.as_deref(), Some("2026-01-01T02:10:00Z"));
    assert!(node().is_cordoned() && !Node::default().is_cordoned());
    assert_eq!(Node::default().cordoned_since(), None);
}

#[test]
fn node_selector_requires_each_label_with_its_value() {
    let selects = |labels: &[(&str, &str)]| {
        let labels = labels.iter();
        let labels = labels.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        node().is_selected_by(&labels.collect())
    };
    assert!(selects(&[]));
    assert!(selects(&[("pier.example/deep", "yes"), ("a", "")]));
    assert!(!selects(&[("pier.example/deep", "no")]));
    assert!(!selects(&[("b", "")]));
}
