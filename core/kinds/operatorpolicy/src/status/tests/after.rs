//! Tests of the report after the steps were carried out.

use portolan_api::{ConditionType, OperatorPolicyStatus, Reason};
use rstest::rstest;
use serde_json::json;

use super::{all_well, design, later, noon, render_status, subscription, with};
use crate::desired::{Action, Condition, Desired, Report, Step, StepOutcome, Target};
use crate::kinds;

fn made(action: Action) -> Desired {
    let type_ = ConditionType::SubscriptionCompliant;
    let missing = Condition::bad(
        type_,
        Reason::SubscriptionMissing,
        "Subscription sloop is missing",
    );
    let step = Step {
        action,
        type_,
        done: Condition::good(
            type_,
            Reason::SubscriptionCreated,
            "Subscription sloop was created",
        ),
        related: vec![subscription("", true)],
    };
    Desired {
        report: Report {
            conditions: vec![missing],
            ..Report::default()
        },
        steps: vec![step],
        requeue_at: None,
    }
}

fn creation() -> Action {
    Action::Create(json!({"kind": "Subscription", "metadata": {"name": "sloop"}}))
}

#[test]
fn completed_step_is_reported() {
    let done = StepOutcome::Done { uid: None };
    let report = made(creation()).after(&[done]);
    let type_ = ConditionType::SubscriptionCompliant;
    let wanted = Report {
        conditions: vec![Condition::good(
            type_,
            Reason::SubscriptionCreated,
            "Subscription sloop was created",
        )],
        related: vec![(type_, vec![subscription("", true)])],
        ..Report::default()
    };
    assert_eq!(report, wanted);
}

/// Behaviors 2, 32. Defect D21.
#[rstest]
#[case::rejected(
    StepOutcome::Refused("subscriptions is forbidden".to_owned()),
    "but the API server rejects the request: subscriptions is forbidden"
)]
#[case::unknown_result(
    StepOutcome::Lost("no answer for 10 s".to_owned()),
    "but the result is unknown: no answer for 10 s"
)]
fn failed_step_is_reported_in_its_condition(#[case] outcome: StepOutcome, #[case] why: &str) {
    let report = made(creation()).after(&[outcome]);
    let type_ = ConditionType::SubscriptionCompliant;
    let message =
        format!("Subscription sloop is missing; creating Subscription sloop was tried, {why}");
    let wanted = Report {
        conditions: vec![Condition::bad(type_, Reason::SubscriptionMissing, message)],
        ..Report::default()
    };
    assert_eq!(report, wanted);
}

/// The cases contain the condition before its step is rejected, and the reason after the rejection.
#[rstest]
#[case::good_condition_becomes_withheld(
    Condition::good(
        ConditionType::ValidPolicySpec,
        Reason::PolicyValidated,
        "the policy is valid"
    ),
    Reason::Withheld
)]
#[case::bad_condition_keeps_its_reason(
    Condition::bad(
        ConditionType::ValidPolicySpec,
        Reason::InvalidPolicySpec,
        "the policy is valid"
    ),
    Reason::InvalidPolicySpec
)]
#[case::condition_that_waits_for_approval_keeps_its_reason(
    Condition::good(
        ConditionType::InstallPlanCompliant,
        Reason::InstallPlanRequiresApproval,
        "the policy is valid",
    ),
    Reason::InstallPlanRequiresApproval
)]
fn condition_has_the_expected_reason_after_rejected_step(
    #[case] before: Condition,
    #[case] reason: Reason,
) {
    let type_ = before.type_;
    let mut desired = made(Action::AddFinalizer);
    desired.steps[0].type_ = type_;
    desired.report.conditions = vec![before];
    let report = desired.after(&[StepOutcome::Refused("no".to_owned())]);
    let message = "the policy is valid; adding the finalizer of the policy was tried, but the API \
        server rejects the request: no";
    assert_eq!(report.conditions, [Condition::bad(type_, reason, message)]);
}

/// Returns a decision that approves a waiting InstallPlan, with or without a violation of the
/// policy.
fn waiting(violates: bool) -> Desired {
    let type_ = ConditionType::InstallPlanCompliant;
    let reason = Reason::InstallPlanRequiresApproval;
    let condition = if violates {
        Condition::bad(type_, reason, "install-1 waits")
    } else {
        Condition::good(type_, reason, "install-1 waits")
    };
    let step = Step {
        action: Action::Approve(plan()),
        type_,
        done: Condition::good(type_, Reason::InstallPlanApproved, "install-1 is approved"),
        related: Vec::new(),
    };
    Desired {
        report: with(all_well(), condition),
        steps: vec![step],
        requeue_at: None,
    }
}

const OVERTAKEN: &str = "install-1 waits (checked again, because approving InstallPlan install-1 \
                         was tried: it was changed in the meantime)";

#[rstest]
#[case::stays_compliant(false)]
#[case::stays_noncompliant(true)]
fn conflict_is_reported_without_an_event(#[case] violates: bool) {
    let desired = waiting(violates);
    let before = render_status(
        &desired.report,
        &design(),
        &OperatorPolicyStatus::default(),
        noon(),
    );
    let changed = StepOutcome::Overtaken("it was changed in the meantime".to_owned());
    let report = desired.after(&[changed]);
    let type_ = ConditionType::InstallPlanCompliant;
    let wanted = Condition {
        message: OVERTAKEN.to_owned(),
        ..previous_condition(&desired.report, type_)
    };
    assert_eq!(report, with(desired.report, wanted));

    let update = render_status(&report, &design(), &before.status, later(1));
    assert_eq!(update.event, None);
    assert_eq!(update.status.compliant, before.status.compliant);
    let after = render_status(
        &waiting(violates).report,
        &design(),
        &update.status,
        later(2),
    );
    assert_eq!(after.event, None, "the end of a conflict sends no event");
}

fn previous_condition(report: &Report, type_: ConditionType) -> Condition {
    let mut conditions = report.conditions.iter();
    conditions
        .find(|condition| condition.type_ == type_)
        .expect("a condition")
        .clone()
}

#[test]
fn skipped_steps_change_no_condition() {
    let desired = made(creation());
    assert_eq!(desired.after(&[]), desired.report);
}

#[rstest]
#[case::create(creation(), true)]
#[case::approval(Action::Approve(plan()), false)]
#[case::finalizer(Action::AddFinalizer, false)]
#[case::deletion(Action::Delete { object: plan(), is_orphaning: false }, true)]
fn sends_early_event_for_action_that_changes_objects(#[case] action: Action, #[case] wanted: bool) {
    assert_eq!(made(action).is_worth_early_event(), wanted);
}

#[test]
fn sends_no_early_event_during_deletion() {
    let mut desired = made(creation());
    desired.report.conditions.push(Condition::bad(
        ConditionType::ClusterServiceVersionCompliant,
        Reason::ClusterServiceVersionDeleting,
        "it goes",
    ));
    assert!(!desired.is_worth_early_event());
}

fn plan() -> Target {
    let (api_version, kind) = kinds::INSTALL_PLAN;
    Target {
        api_version,
        kind,
        namespace: Some("harbor".to_owned()),
        name: "install-1".to_owned(),
        uid: "b".to_owned(),
        resource_version: "7".to_owned(),
    }
}
