//! Tests which objects get the label of an Operator.

use std::collections::BTreeSet;

use portolan_core_components::{Component, label_key, projected, suffixes};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::kit::{component, csv, subscription};

fn plan(steps: &[(&str, &str, &str)]) -> Value {
    let steps = steps.iter().map(|(kind, name, resolving)| {
        json!({"resolving": resolving, "resource": {"kind": kind, "name": name}})
    });
    json!({"status": {"plan": steps.collect::<Vec<_>>()}})
}

fn names(operator: &str, components: &[Component]) -> BTreeSet<String> {
    let projected = projected(operator, components);
    projected.iter().map(ToString::to_string).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

const STEPS: &[(&str, &str, &str)] = &[
    ("ClusterServiceVersion", "plumbus.v2.0.0", "plumbus.v2.0.0"),
    (
        "CustomResourceDefinition",
        "plumbai.how.theydoit.com",
        "plumbus.v2.0.0",
    ),
    ("ClusterRole", "plumbus-1", "plumbus.v2.0.0"),
    ("Subscription", "grumbo-stable", "grumbo.v1.0.0"),
    ("ClusterServiceVersion", "grumbo.v1.0.0", "grumbo.v1.0.0"),
];

#[test]
fn subscription_labels_its_plan_and_subscriptions_of_the_plan() {
    let own = component("Subscription", "plumbus", &subscription());
    let first = [own.clone()];
    assert_eq!(
        names("plumbus", &first),
        set(&["InstallPlan my-ns/install-1"])
    );

    let plan = component("InstallPlan", "install-1", &plan(STEPS));
    let expected = [
        "InstallPlan my-ns/install-1",
        "Subscription my-ns/grumbo-stable",
        "ClusterServiceVersion my-ns/plumbus.v2.0.0",
        "CustomResourceDefinition plumbai.how.theydoit.com",
    ];
    assert_eq!(names("plumbus", &[own, plan]), set(&expected));
}

/// Subscriptions of one namespace share InstallPlans, but each Subscription has its own Operator.
#[test]
fn labels_only_objects_of_its_subscription_if_a_plan_is_shared() {
    let own = component("Subscription", "plumbus", &subscription());
    let plan = component("InstallPlan", "install-1", &plan(STEPS));
    let labeled = names("plumbus", &[own, plan.clone()]);
    assert!(
        !labeled.contains("ClusterServiceVersion my-ns/grumbo.v1.0.0"),
        "{labeled:?}"
    );

    let alone = names("plumbus", &[plan]);
    assert!(
        alone.contains("ClusterServiceVersion my-ns/grumbo.v1.0.0"),
        "{alone:?}"
    );
}

#[test]
fn csv_labels_its_deployments_and_api_services() {
    let csv = component("ClusterServiceVersion", "plumbus.v2.0.0", &csv("Succeeded"));
    let expected = [
        "Deployment my-ns/plumbus",
        "APIService v1.schleem.theydoit.com",
    ];
    assert_eq!(names("plumbus", &[csv]), set(&expected));
}

#[test]
fn objects_labeled_by_olm_are_skipped() {
    let own = component("Subscription", "plumbus", &subscription());
    let plan = component("InstallPlan", "install-1", &plan(STEPS));
    assert_eq!(names("plumbus.my-ns", &[own, plan]), BTreeSet::new());
}

/// OLM (v0.46) truncates the name to 63 characters and then removes invalid characters at the end.
#[rstest]
#[case::short("plumbus", "plumbus")]
#[case::exactly_63_characters(
    "a23456789-123456789-123456789-123456789-123456789-123456789-123",
    "a23456789-123456789-123456789-123456789-123456789-123456789-123"
)]
#[case::more_than_63_characters(
    "a23456789-123456789-123456789-123456789-123456789-123456789-1234",
    "a23456789-123456789-123456789-123456789-123456789-123456789-123"
)]
#[case::invalid_characters_before_the_limit(
    "a23456789-123456789-123456789-123456789-123456789-123456789-._4",
    "a23456789-123456789-123456789-123456789-123456789-123456789-._4"
)]
#[case::invalid_characters_at_the_limit(
    "a23456789-123456789-123456789-123456789-123456789-123456789-._-4",
    "a23456789-123456789-123456789-123456789-123456789-123456789"
)]
fn label_is_truncated_as_by_olm(#[case] operator: &str, #[case] suffix: &str) {
    assert_eq!(
        label_key(operator),
        format!("operators.coreos.com/{suffix}")
    );
}

#[test]
fn labels_of_an_object_name_its_operators() {
    let keys = [
        "app",
        "operators.coreos.com/a.b",
        "operators.coreos.com/plumbus",
    ];
    assert_eq!(suffixes(keys), set(&["a.b", "plumbus"]));
}
