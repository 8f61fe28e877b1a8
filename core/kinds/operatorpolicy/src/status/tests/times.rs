//! Tests of the transition times from which the wait for OLM is measured.

use super::*;

const TYPE: ConditionType = ConditionType::InstallPlanCompliant;

fn approved() -> Report {
    let approved = Condition::good(TYPE, Reason::InstallPlanApproved, "install-1 is approved");
    with(all_well(), approved)
}

fn since(status: &OperatorPolicyStatus) -> Timestamp {
    let mut conditions = status.conditions.iter();
    let update = conditions.find(|each| each.type_ == TYPE.as_str());
    update.expect("a condition").last_transition_time.0
}

#[test]
fn keeps_approval_time_while_the_condition_is_unknown() {
    let policy = established();
    let before = first(&approved(), &policy).status;
    assert_eq!(since(&before), noon());
    let silent = render_status(&silent(TYPE, "refused"), &policy, &before, later(60)).status;
    assert_eq!(since(&silent), noon());
}

/// The previous status was written by a controller whose clock was ahead.
#[test]
fn time_in_the_future_becomes_now() {
    let policy = established();
    let before = render_status(
        &approved(),
        &policy,
        &OperatorPolicyStatus::default(),
        later(3_600),
    );
    assert_eq!(since(&before.status), later(3_600));
    let update = render_status(&approved(), &policy, &before.status, noon()).status;
    assert_eq!(since(&update), noon());
    let again = render_status(&approved(), &policy, &update, later(60)).status;
    assert_eq!(since(&again), noon());
}
