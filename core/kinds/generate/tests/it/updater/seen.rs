//! Tests of the phase and the owners that the updater reads from an Operator.

use portolan_api::operator::Operator;
use portolan_core_generate::updater::{Owners, Phase, SeenOperator};
use rstest::rstest;
use serde_json::{Value, json};

fn parse_operator(version: &str, status: &Value, managed: &Value) -> SeenOperator {
    let operator = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1",
        "kind": "Operator",
        "metadata": {"name": "ferry", "generation": 2, "managedFields": managed},
        "spec": {"packageName": "ferry", "version": version},
        "status": status,
    });
    let operator: Operator = serde_json::from_value(operator).expect("a valid Operator");
    SeenOperator::of(&operator)
}

fn status(installed: &str, ready: &str, installing: &str) -> Value {
    let condition = |type_: &str, status: &str, reason: &str| {
        json!({
            "type": type_, "status": status, "reason": reason, "message": format!("so says {type_}"),
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        })
    };
    json!({
        "observedGeneration": 2,
        "versions": {"installed": installed},
        "conditions": [
            condition("Ready", ready, "Installed"),
            condition("Installing", "False", installing),
        ],
    })
}

fn waiting(type_: &str) -> Phase {
    Phase::Waits(format!("so says {type_}"))
}

#[rstest]
#[case::ready_at_its_version("1.0.0", status("1.0.0", "True", "UpToDate"), Phase::Ready)]
#[case::ready_in_its_range(">=1.0.0", status("1.0.0", "True", "UpToDate"), Phase::Ready)]
#[case::frozen("", status("1.0.0", "True", "Frozen"), Phase::Ready)]
#[case::in_progress("1.1.0", status("1.0.0", "True", "Applying"), waiting("Installing"))]
#[case::not_ready("1.0.0", status("1.0.0", "False", "UpToDate"), waiting("Ready"))]
#[case::failed(
    "1.1.0",
    status("1.0.0", "True", "InstallFailed"),
    Phase::Failed("so says Installing".to_owned())
)]
#[case::reverted(
    "1.1.0",
    status("1.0.0", "True", "Reverted"),
    Phase::Failed("so says Installing".to_owned())
)]
#[case::new("1.0.0", json!({}), Phase::Waits("the Operator is not installed yet".to_owned()))]
#[case::not_reconciled_yet(
    "1.0.0",
    json!({"observedGeneration": 1, "versions": {"installed": "1.0.0"}}),
    Phase::Waits("the controller has not reconciled its spec yet".to_owned())
)]
fn phase_follows_the_status_of_an_operator(
    #[case] version: &str,
    #[case] status: Value,
    #[case] expected: Phase,
) {
    assert_eq!(parse_operator(version, &status, &json!([])).phase, expected);
}

#[test]
fn reads_owners_of_the_version_from_managed_fields() {
    let entry = |manager: &str, fields: Value| {
        json!({
            "manager": manager, "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": fields,
            "apiVersion": "operators.operatorframework.io/v1alpha1",
        })
    };
    let managed = json!([
        entry("argocd", json!({"f:spec": {"f:version": {}}})),
        entry("portolan-updater", json!({"f:spec": {"f:version": {}}})),
        entry("kubectl", json!({"f:spec": {"f:packageName": {}}})),
    ]);
    let seen = parse_operator("1.0.0", &json!({}), &managed);
    let expected = Owners {
        managers: ["argocd".to_owned()].into(),
        source: None,
    };
    assert_eq!(seen.owners, expected);
}

/// Some of these tools use the field manager of kubectl.
#[rstest]
#[case::argo_cd(
    json!({"annotations": {"argocd.argoproj.io/tracking-id": "a"}}),
    "argocd.argoproj.io/tracking-id shows that Argo CD applies the Operator"
)]
#[case::flux(
    json!({"labels": {"kustomize.toolkit.fluxcd.io/name": "a"}}),
    "kustomize.toolkit.fluxcd.io/name shows that Flux applies the Operator"
)]
#[case::helm(
    json!({"annotations": {"meta.helm.sh/release-name": "a"}}),
    "meta.helm.sh/release-name shows that Helm applies the Operator"
)]
#[case::owner_reference(
    json!({"ownerReferences": [
        {"apiVersion": "a.dev/v1", "kind": "Fleet", "name": "a", "uid": "a"},
    ]}),
    "Fleet a owns the Operator"
)]
fn source_of_an_operator_is_detected_from_its_metadata(
    #[case] mut metadata: Value,
    #[case] expected: &str,
) {
    metadata["name"] = json!("ferry");
    let operator = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": metadata, "spec": {"packageName": "ferry"},
    });
    let operator: Operator = serde_json::from_value(operator).expect("a valid Operator");
    let source = SeenOperator::of(&operator).owners.source;
    assert_eq!(source.as_deref(), Some(expected));
}
