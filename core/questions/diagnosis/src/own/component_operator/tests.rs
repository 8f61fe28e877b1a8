use portolan_core_olm::read_value;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn operator(conditions: &Value) -> ComponentOperator {
    let object =
        json!({"metadata": {"name": "plumbus.harbor"}, "status": {"conditions": conditions}});
    read_value(object).expect("an Operator").0
}

#[rstest]
#[case::waits(
    "InstallPendingApproval",
    "True",
    "PrivilegeEscalationRequired",
    "Waiting ApprovalRequired Install.operators.coreos.com plumbus.harbor"
)]
#[case::approved("InstallPendingApproval", "False", "InstallsApproved", "Well")]
#[case::content(
    "ContentImportError",
    "True",
    "ManifestImageInvalid",
    "Stuck ContentInvalid Operator.operators.coreos.com plumbus.harbor"
)]
#[case::rights(
    "ComponentsNotListed",
    "True",
    "KindsForbidden",
    "Stuck PermissionMissing Operator.operators.coreos.com plumbus.harbor"
)]
#[case::source(
    "ContentResolved",
    "False",
    "SourceInvalid",
    "Stuck OperatorInvalid Operator.operators.coreos.com plumbus.harbor"
)]
#[case::no_content(
    "ContentResolved",
    "False",
    "Unresolvable",
    "Stuck NoUpgradePath Operator.operators.coreos.com plumbus.harbor"
)]
#[case::taken(
    "ContentResolved",
    "False",
    "InstalledByOLM",
    "Stuck PackageTaken Operator.operators.coreos.com plumbus.harbor"
)]
#[case::resolver(
    "ContentResolved",
    "Unknown",
    "ResolverUnavailable",
    "Waiting NotObserved Operator.operators.coreos.com plumbus.harbor"
)]
#[case::held(
    "Deleting",
    "True",
    "DeletionBlocked",
    "Stuck DeletionBlocked Operator.operators.coreos.com plumbus.harbor"
)]
#[case::deleting(
    "Deleting",
    "True",
    "RemovingLabels",
    "Working InProgress Operator.operators.coreos.com plumbus.harbor"
)]
#[case::update("UpdateAvailable", "True", "UpdateFoundInChannel", "Well")]
#[case::drift("ComponentsDiverge", "True", "ComponentsDivergeFromInstall", "Well")]
fn condition_has_a_diagnosis(
    #[case] type_: &str,
    #[case] status: &str,
    #[case] reason: &str,
    #[case] expected: &str,
) {
    let said =
        json!([{"type": type_, "status": status, "reason": reason, "message": "why it is so"}]);
    let diagnosis = diagnose_component_operator(&operator(&said));
    let cause = diagnosis.cause.as_ref();
    let cause = cause.map(|it| format!(" {} {}", it.code.as_str(), it.at_fault));
    assert_eq!(
        format!("{}{}", diagnosis.state.as_str(), cause.unwrap_or_default()),
        expected
    );
}

#[test]
fn operator_without_conditions_is_not_observed() {
    let diagnosis = diagnose_component_operator(&operator(&json!([])));
    assert_eq!(diagnosis.cause.expect("a cause").code, Code::NotObserved);
}
