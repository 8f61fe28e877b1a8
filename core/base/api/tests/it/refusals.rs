//! Tests of the error messages for invalid policies.

mod design;
mod established;
mod group;
mod subscription;

use portolan_api::{Intent, OperatorPolicy, Refusals};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::policies::{design, policy, refused, with};

const LABEL: &str = "write at most 63 lower-case letters, digits and hyphens, and start and end \
                     with a letter or digit";
const SUBDOMAIN: &str = "write at most 253 lower-case letters, digits, hyphens and dots, where \
                         each part between dots starts and ends with a letter or digit";

#[test]
fn misspelled_allowed_csvs_gives_only_one_suggestion() {
    let mut json = design();
    let spec = json["spec"].as_object_mut().expect("a spec");
    let allowed = spec.remove("allowedCSVs").expect("the field allowedCSVs");
    spec.insert("allowedCsvs".to_owned(), allowed);
    spec.insert("statusConfig".to_owned(), json!({}));
    let sentence = "spec.allowedCsvs is not a known field; did you mean \"allowedCSVs\"?";
    assert_eq!(refused(json), [sentence]);
}

#[rstest]
#[case::missing(json!({"metadata": {}}))]
#[case::null(json!({"metadata": {}, "spec": null}))]
fn policy_without_a_spec_is_rejected(#[case] json: Value) {
    assert_eq!(
        refused(json),
        ["spec is missing; list the operators that the policy applies to"]
    );
}

#[test]
fn spec_that_is_a_string_is_rejected() {
    let json = json!({"metadata": {}, "spec": "etcd"});
    assert_eq!(refused(json), ["spec is a text, but must be an object"]);
}

#[test]
fn reports_all_errors_together() {
    let json = json!({"metadata": {}, "spec": {
        "severity": "grave",
        "remediationAction": "ENFORCE",
        "version": ["a"],
        "subscription": {"names": "etcd", "namespace": "A"},
        "operatorGroup": {"targets": []},
        "versions": ["*", "a b"],
        "removalBehavior": {"subscriptions": "keep"},
        "complianceConfig": "strict",
    }});
    let fields: Vec<_> = Intent::parse(&policy(json))
        .expect_err("a refused policy")
        .iter()
        .map(|refusal| refusal.field.clone())
        .collect();
    let expected = [
        "spec.version",
        "spec.complianceType",
        "spec.upgradeApproval",
        "spec.remediationAction",
        "spec.severity",
        "spec.subscription.names",
        "spec.subscription.name",
        "spec.subscription.namespace",
        "spec.operatorGroup.targets",
        "spec.operatorGroup.name",
        "spec.versions[0]",
        "spec.versions[1]",
        "spec.removalBehavior.subscriptions",
        "spec.complianceConfig",
    ];
    assert_eq!(fields, expected);
}

#[test]
fn several_refusals_are_joined_to_one_text() {
    let json = with(design(), "/spec/severity", json!("grave"));
    let policy: OperatorPolicy = policy(with(json, "/spec/subscription/name", json!(1)));
    let refusals: Refusals = Intent::parse(&policy).expect_err("a refused policy");
    assert_eq!(
        refusals.to_string(),
        "spec.severity is \"grave\"; write low, Low, medium, Medium, high, High, critical or \
         Critical. spec.subscription.name is a number, but must be a text; put it in quotes"
    );
}

#[test]
fn messages_truncate_and_escape_long_values() {
    let json = with(
        design(),
        "/spec/severity",
        json!(format!("\n{}", "x".repeat(99))),
    );
    let json = with(json, &format!("/spec/\t{}", "y".repeat(99)), json!(1));
    let expected = [
        format!(
            "spec.\\t{}… is not a known field; allowed are allowedCSVs, complianceConfig, \
             complianceType, operatorGroup, remediationAction, removalBehavior, severity, \
             statusConfig, subscription, upgradeApproval, versions",
            "y".repeat(79)
        ),
        format!(
            "spec.severity is \"\\n{}…\"; write low, Low, medium, Medium, high, High, critical or \
             Critical",
            "x".repeat(79)
        ),
    ];
    assert_eq!(refused(json), expected);
}
