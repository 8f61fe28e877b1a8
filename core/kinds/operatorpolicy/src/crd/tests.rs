use portolan_api::{ConditionType, Reason, RelatedObject};
use rstest::rstest;
use serde_json::{Value, json};

use super::judge;
use crate::contribution::{Contribution, known, related};
use crate::desired::Condition;
use crate::kinds::CRD;
use crate::tests::kit::{Stage, csv, established, object, stage, subscription};

const TYPE: ConditionType = ConditionType::CustomResourceDefinitionCompliant;

fn crd(name: &str, label: &str) -> Value {
    let label = format!("operators.coreos.com/{label}");
    let labels = json!({"metadata": {"labels": {label: ""}}});
    object(CRD, ("", name), labels)
}

fn found_object(name: &str) -> RelatedObject {
    let reason = "Resource found as expected";
    let object = related(CRD, (None, name), Some("Compliant"), reason);
    known(object, Some(&format!("{name}-uid")), false)
}

fn contribution(message: &str, objects: Vec<RelatedObject>) -> Contribution {
    Contribution::of(Condition::good(TYPE, Reason::RelevantCRDFound, message))
        .add_related(TYPE, objects)
}

fn no_crds(package: &str) -> Contribution {
    let reason = "No relevant CustomResourceDefinitions found";
    let message = format!("No CustomResourceDefinitions of {package} found");
    Contribution::of(Condition::good(TYPE, Reason::RelevantCRDNotFound, message)).add_related(
        TYPE,
        vec![related(CRD, (None, "-"), Some("Inapplicable"), reason)],
    )
}

fn owner() -> Vec<Value> {
    vec![
        subscription(json!({"status": {"installedCSV": "etcd.v1.0.0"}})),
        csv(
            "etcd.v1.0.0",
            json!({"spec": {"customresourcedefinitions": {"owned": [{"name": "backups.demo"}]}}}),
        ),
        crd("backups.demo", "other.elsewhere"),
    ]
}

/// Behavior 91.
#[rstest]
#[case::missing_crds_are_compliant(vec![], no_crds("etcd"))]
#[case::labeled_crds_belong_to_the_operator(
    vec![crd("etcds.demo", "etcd.databases"), crd("backups.demo", "etcd.databases")],
    contribution("2 CustomResourceDefinitions of etcd found", vec![found_object("backups.demo"), found_object("etcds.demo")])
)]
#[case::owned_crds_belong_to_the_operator_without_the_label(
    owner(),
    contribution("1 CustomResourceDefinition of etcd found", vec![found_object("backups.demo")])
)]
#[case::crds_of_the_same_operator_in_another_namespace_do_not_count(
    vec![crd("etcds.demo", "etcd.databases-two")],
    no_crds("etcd")
)]
fn reports_crds_of_the_operator(#[case] objects: Vec<Value>, #[case] part: Contribution) {
    let stage = objects
        .into_iter()
        .fold(stage(established(json!({}))), Stage::object);
    assert_eq!(stage.case(judge), part);
}

/// Defect D13.
#[test]
fn ignores_label_that_olm_truncated() {
    let long = "etcd-with-a-name-that-is-so-long-that-it-leaves-no-room-for-more";
    let package = &long[..63];
    let cut = format!("{package}.databases")[..63].to_owned();
    let policy = established(json!({"subscription": {"name": package}}));
    let stage = stage(policy).object(crd("etcds.demo", &cut));
    assert_eq!(stage.case(judge), no_crds(package));
}
