use portolan_api::Compliance;
use rstest::rstest;

use super::*;
use crate::contribution::related;
use crate::kinds::SUBSCRIPTION;

/// Returns a status with one condition that has this message.
fn status(type_: ConditionType, message: &str) -> OperatorPolicyStatus {
    let condition = StatusCondition {
        type_: type_.as_str().to_owned(),
        status: "False".to_owned(),
        reason: "DeploymentsUnavailable".to_owned(),
        message: message.to_owned(),
        last_transition_time: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(
            jiff::Timestamp::UNIX_EPOCH,
        ),
        observed_generation: None,
    };
    OperatorPolicyStatus {
        compliant: Some(Compliance::NonCompliant),
        conditions: vec![condition],
        ..OperatorPolicyStatus::default()
    }
}

#[rstest]
#[case::another_count(
    "Deployment ferry has 1 of 3 replicas available",
    "Deployment ferry has 2 of 3 replicas available",
    false
)]
#[case::singular_instead_of_plural(
    "Deployment ferry has 0 of 2 replicas available",
    "Deployment ferry has 0 of 1 replica available",
    false
)]
#[case::next_pod_name(
    "container a of Pod fleet/ferry-5d4b9c7f6b-x2x9z cannot pull its image",
    "container a of Pod fleet/ferry-5d4b9c7f6b-zzbbk cannot pull its image",
    false
)]
#[case::pod_name_without_a_digit(
    "No node can run Pod fleet/ferry-bcdfghjkl-zzbbk, as it is large",
    "No node can run Pod fleet/ferry-bcdfghjkl-mnpqr, as it is large",
    false
)]
#[case::longer_back_off("back-off 10s restarting", "back-off 1m20s restarting", false)]
#[case::another_deployment(
    "Deployment ferry has 1 of 3 replicas available",
    "Deployment barge has 1 of 3 replicas available",
    true
)]
#[case::another_cause(
    "Deployment ferry has 1 of 3 replicas available; No node can run Pod ferry-1",
    "Deployment ferry has 1 of 3 replicas available; Pod ferry-1 is crash looping",
    true
)]
fn event_depends_on_the_change_of_a_deployment_message(
    #[case] was: &str,
    #[case] is: &str,
    #[case] is_sent: bool,
) {
    for type_ in [
        ConditionType::DeploymentCompliant,
        ConditionType::DeploymentsAvailable,
    ] {
        assert_eq!(
            deserves_event(&status(type_, is), &status(type_, was)),
            is_sent,
            "{type_:?}"
        );
    }
}

#[test]
fn changed_number_in_another_condition_sends_event() {
    let type_ = ConditionType::InstallPlanCompliant;
    let (was, is) = (status(type_, "1 waits"), status(type_, "2 wait"));
    assert!(deserves_event(&is, &was));
}

/// A partial status contains only the namespace for its generation.
#[rstest]
#[case::judged(true, false, true)]
#[case::waiting_for_a_response(true, true, false)]
#[case::judged_before(false, false, false)]
fn sends_event_when_the_partial_status_of_a_generation_is_complete(
    #[case] was_partial: bool,
    #[case] is_partial: bool,
    #[case] is_sent: bool,
) {
    let status_with = |is_partial: bool| {
        let mut status = status(ConditionType::ValidPolicySpec, "the policy is valid");
        let at = (Some("harbor"), "ferry");
        let reason = if is_partial {
            NAMESPACE_FOUND
        } else {
            "Resource found as expected"
        };
        let related = related(SUBSCRIPTION, at, None, reason);
        status.related_objects.push(related);
        status
    };
    assert_eq!(
        deserves_event(&status_with(is_partial), &status_with(was_partial)),
        is_sent
    );
}
