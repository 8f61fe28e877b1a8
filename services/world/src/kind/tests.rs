use portolan_core_olm::{
    ClusterServiceVersion, CustomResourceDefinition, Event, Node, Pod, read_value,
};
use portolan_kit::world;
use rstest::rstest;
use serde_json::json;

use super::*;

#[test]
fn copied_csv_is_not_stored_as_an_operator() {
    let copy = json!({"metadata": {"name": "a", "labels": {"olm.copiedFrom": "harbor"}}});
    let (copy, _) = read_value::<ClusterServiceVersion>(copy).expect("an operator");
    assert_eq!(as_kept(copy, &[]), None);
}

#[rstest]
#[case::succeeded("Succeeded", vec![])]
#[case::failed("Failed", vec!["registry.example/operator:v1"])]
#[case::on_its_way("Installing", vec!["registry.example/operator:v1"])]
fn images_are_kept_for_operators_that_are_not_ready(#[case] phase: &str, #[case] kept: Vec<&str>) {
    let world = world().csv("ferry.v1.0.0", phase);
    let (mut csv, _) =
        read_value::<ClusterServiceVersion>(world.objects()[0].clone()).expect("an operator");
    csv.trim();
    let images = csv.deployments().iter();
    let images = images.flat_map(|wanted| wanted.spec.template.images());
    assert_eq!(images.collect::<Vec<_>>(), kept);
}

#[rstest]
#[case::warning("Warning", true)]
#[case::normal("Normal", false)]
fn only_warning_events_are_read(#[case] word: &str, #[case] is_wanted: bool) {
    let world = world()
        .deployment("ferry", 0, 1)
        .event("FailedCreate", "no")
        .edit(|event| event["type"] = json!(word));
    let (event, _) = read_value::<Event>(world.objects()[1].clone()).expect("an Event");
    assert_eq!(event.is_wanted(), is_wanted);
    assert_eq!(Event::FIELDS, Some("type=Warning"));
}

#[rstest]
#[case::cordoned(true)]
#[case::schedulable(false)]
fn only_cordoned_nodes_are_read(#[case] is_cordoned: bool) {
    let node = json!({"metadata": {"name": "a"}, "spec": {"unschedulable": is_cordoned}});
    let (node, _) = read_value::<Node>(node).expect("a Node");
    assert_eq!(node.is_wanted(), is_cordoned);
    assert_eq!(<Node as Kind>::FIELDS, Some("spec.unschedulable=true"));
}

/// The status has the addresses and the images of the node. The provider ID names its account.
#[test]
fn dump_of_a_node_keeps_its_labels_and_taints() {
    let mut kinds = super::dumped_kinds().into_iter();
    let nodes = kinds
        .find(|kind| kind.file_stem() == "nodes")
        .expect("nodes");
    let kept = (nodes.kept)(&Projection::default());
    let metadata = json!({"name": "a", "labels": {"b": "c"}});
    let spec = json!({"unschedulable": true, "providerID": "cloud:///1"});
    let found = nodes.kept(
        json!({"metadata": metadata, "spec": spec, "status": {"images": []}}),
        &kept,
    );
    let wanted = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "a", "labels": {"b": "c"}}, "spec": {"unschedulable": true},
    });
    assert_eq!(found, wanted);
}

#[test]
fn cluster_scoped_kind_has_a_single_area() {
    let harbor = || Area::namespace("harbor");
    assert_eq!(
        area_of::<CustomResourceDefinition>(harbor()),
        Area::everywhere()
    );
    assert_eq!(area_of::<Pod>(harbor()), harbor());
}

#[test]
fn dumped_kinds_has_every_kind_of_the_table() {
    let each = include_str!("table.rs").matches("\nimpl Kind for ").count();
    assert_eq!(
        super::dumped_kinds().len(),
        each,
        "a kind of table.rs is not in `dumped_kinds`, or one is no kind there"
    );
}

#[test]
fn only_listed_kinds_are_dumped_whole() {
    let kinds = super::dumped_kinds().into_iter();
    let kept = kinds.filter(|kind| (kind.kept)(&Projection::default()).is_all());
    let kept: Vec<_> = kept.map(|kind| kind.file_stem()).collect();
    let of_plans = [
        "operators.operators.operatorframework.io",
        "upgradepolicies.operators.operatorframework.io",
        "upgradepolicybindings.operators.operatorframework.io",
        "installplans.plans.portolan.dev",
        "resourcemanifests.plans.portolan.dev",
        "installs.operators.coreos.com",
    ];
    assert_eq!(
        kept, of_plans,
        "a kind has no line in the READS of its crate"
    );
}

/// The annotations of tools may contain whole objects. The digest of an InstallPlan would allow
/// users to check a guess of a redacted value.
#[test]
fn dump_of_a_plan_keeps_the_fields_that_are_read() {
    let name = "installplans.plans.portolan.dev";
    let mut kinds = super::dumped_kinds().into_iter();
    let plans = kinds.find(|kind| kind.file_stem() == name).expect("plans");
    let kept = (plans.kept)(&Projection::default());
    let annotations = json!({"plans.portolan.dev/retry": "1", "kapp.k14s.io/original": "{}"});
    let metadata =
        json!({"name": "a", "labels": {"b": "c"}, "annotations": annotations, "managedFields": []});
    let status = json!({"phase": "Ready", "record": {"digest": "sha256:0", "found": {}}});
    let found = plans.kept(json!({"metadata": metadata, "status": status}), &kept);
    let wanted = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {"name": "a", "labels": {"b": "c"}, "annotations": {"plans.portolan.dev/retry": "1"}},
        "status": {"phase": "Ready", "record": {"found": {}}},
    });
    assert_eq!(found, wanted);
}
