use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;

use super::*;

const WHY: &str = "rival writes the status, so this controller is read-only";

fn condition(kind: &str, message: &str) -> Condition {
    Condition {
        type_: kind.to_owned(),
        status: "True".to_owned(),
        reason: "PolicyValidated".to_owned(),
        message: message.to_owned(),
        last_transition_time: Time(Timestamp::UNIX_EPOCH),
        observed_generation: None,
    }
}

fn status(conditions: &[Condition]) -> OperatorPolicyStatus {
    OperatorPolicyStatus {
        conditions: conditions.to_vec(),
        ..OperatorPolicyStatus::default()
    }
}

fn own() -> Condition {
    condition(
        TYPE.as_str(),
        "the policy is valid, but nothing is done about it",
    )
}

#[rstest]
#[case::after_the_note_of_another_client(
    Some(status(&[condition("Compliant", "all is well"), condition(TYPE.as_str(), "the spec is valid")])),
    Some(vec![
        json!({"op": "test", "path": "/status/conditions/1/type", "value": TYPE.as_str()}),
        json!({
            "op": "add",
            "path": "/status/conditions/1/message",
            "value": format!("the spec is valid; Portolan: {WHY}"),
        }),
    ])
)]
#[case::instead_of_the_previous_note(
    Some(status(&[condition(TYPE.as_str(), "valid; Portolan: rival wrote it yesterday")])),
    Some(vec![
        json!({"op": "test", "path": "/status/conditions/0/type", "value": TYPE.as_str()}),
        json!({
            "op": "add",
            "path": "/status/conditions/0/message",
            "value": format!("valid; Portolan: {WHY}"),
        }),
    ])
)]
#[case::not_twice(Some(status(&[condition(TYPE.as_str(), &format!("valid; Portolan: {WHY}"))])), None)]
#[case::beside_other_conditions(
    Some(status(&[condition("Compliant", "all is well")])),
    Some(vec![json!({"op": "add", "path": "/status/conditions/-", "value": own()})])
)]
#[case::status_without_conditions(
    Some(status(&[])),
    Some(vec![json!({"op": "add", "path": "/status/conditions", "value": [own()]})])
)]
#[case::without_another_note(
    None,
    Some(vec![json!({"op": "add", "path": "/status", "value": {"conditions": [own()]}})])
)]
fn patch_adds_note_to_status_of_read_only_policy(
    #[case] status: Option<OperatorPolicyStatus>,
    #[case] wanted: Option<Vec<Value>>,
) {
    let supposed = self::status(&[own()]);
    assert_eq!(operations(status.as_ref(), WHY, &supposed), wanted);
}

#[test]
fn empty_status_has_no_operations() {
    let nothing = OperatorPolicyStatus::default();
    assert_eq!(operations(None, WHY, &nothing), None);
}

/// The policy is being deleted. The finalizer blocks the deletion, so the note contains the reason.
#[rstest]
#[case::gets_the_reason(&[], false, Some(WHY.to_owned()))]
#[case::with_our_finalizer_gets_the_reason(
    &[FINALIZER],
    true,
    Some(format!(
        "{WHY}; the policy is being deleted, and its finalizer {FINALIZER} stays until then"
    ))
)]
#[case::with_other_finalizers_gets_no_reason(&["example.com/other"], true, None)]
fn policy_deleted_without_our_finalizer_reports_no_reason(
    #[case] finalizers: &[&str],
    #[case] is_leaving: bool,
    #[case] reported: Option<String>,
) {
    let mut policy = OperatorPolicy::default();
    let finalizers = finalizers.iter().map(|each| (*each).to_owned());
    policy.metadata.finalizers = Some(finalizers.collect());
    policy.metadata.deletion_timestamp = is_leaving.then_some(Time(Timestamp::UNIX_EPOCH));
    assert_eq!(reason(&policy, WHY), reported);
}
