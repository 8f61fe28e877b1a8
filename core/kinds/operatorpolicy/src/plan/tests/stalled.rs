//! Tests for work that OLM does not start within the time limit.

use super::*;

const OLM: &str = "check that OLM runs (Deployment catalog-operator)";

/// Returns a stage with an approved InstallPlan that OLM has not started.
fn approved(policy: Value) -> Stage {
    planned(policy, json!({"spec": {"approved": true}}))
}

/// Sets the previous status: a condition with this reason and time, and a related object with this
/// uid.
fn before(stage: Stage, reason: &str, (since, uid): (&str, &str)) -> Stage {
    let condition = json!({
        "type": "InstallPlanCompliant",
        "status": "True",
        "reason": reason,
        "message": "",
        "lastTransitionTime": since,
    });
    let listed = json!({
        "object": {"apiVersion": "v1", "kind": "K", "metadata": {"name": "n"}},
        "properties": {"uid": uid},
    });
    stage.status(json!({"conditions": [condition], "relatedObjects": [listed]}))
}

const PLAN: &str = "install-b-uid";
const IN_TIME: &str = "2026-01-01T11:55:01Z";
const TOO_LATE: &str = "2026-01-01T11:55:00Z";

/// Returns the status, the reason and `violates` of the condition, and the time of the next
/// reconciliation.
fn verdict_parts(stage: &Stage) -> (Status, Reason, bool, Option<String>) {
    let part = stage.case(judge);
    let condition = &part.conditions[0];
    let reason = match condition.reason {
        crate::ConditionReason::Ours(reason) => reason,
        crate::ConditionReason::Olm(_) => panic!("the reason must be ours: {condition:?}"),
    };
    let again = part.requeue_at.map(|at| at.to_string());
    (condition.status, reason, condition.violates, again)
}

#[rstest]
#[case::established_form_is_compliant_at_first(established(json!({})), Status::True)]
#[case::design_form_reports_an_upgrade_in_progress(design(json!({})), Status::False)]
#[case::design_form_counts_as_configured(
    design(json!({"statusConfig": {"upgradesProgressing": "Condition"}})),
    Status::True
)]
fn reports_approved_plan_that_olm_has_not_started(#[case] policy: Value, #[case] status: Status) {
    let again = Some("2026-01-01T12:05:00Z".to_owned());
    let wanted = (
        status,
        Reason::InstallPlanApproved,
        status != Status::True,
        again,
    );
    assert_eq!(verdict_parts(&approved(policy)), wanted);
}

#[test]
fn approval_reports_the_condition_of_the_next_reconcile() {
    let stage = reviewed(
        planned(design(json!({})), json!({})),
        review(State::Yes, &[], &[]),
    );
    let step = stage.case(judge).steps.remove(0);
    let next = approved(design(json!({}))).case(judge);
    let next_said = Condition {
        since: None,
        ..next.conditions[0].clone()
    };
    assert_eq!(step.done, next_said);
    assert_eq!(step.related, next.related[0].1);
}

const STUCK: (Status, Reason, bool, Option<String>) =
    (Status::False, Reason::InstallPlanNotStarted, true, None);

#[rstest]
#[case::after_five_minutes("InstallPlanApproved", (TOO_LATE, PLAN))]
#[case::at_any_later_time("InstallPlanNotStarted", (IN_TIME, PLAN))]
fn plan_that_olm_does_not_start_in_time_violates_the_policy(
    #[case] reason: &str,
    #[case] was: (&str, &str),
) {
    for policy in [
        established(json!({"remediationAction": "inform"})),
        design(json!({"statusConfig": {"upgradesProgressing": "Condition"}})),
    ] {
        let stage = before(approved(policy), reason, was);
        assert_eq!(verdict_parts(&stage), STUCK);
        let message = format!(
            "InstallPlan databases/install-b for etcd.v2.0.0 was approved more than 5 minutes ago, \
             but OLM has not started it yet; {OLM}"
        );
        assert_eq!(stage.case(judge).conditions[0].message, message);
    }
}

#[rstest]
#[case::within_the_limit("InstallPlanApproved", (IN_TIME, PLAN), "2026-01-01T12:00:01Z")]
#[case::approval_time_is_in_the_future("InstallPlanApproved", ("2026-01-01T13:00:00Z", PLAN), "2026-01-01T12:05:00Z")]
#[case::another_plan_was_approved("InstallPlanApproved", (TOO_LATE, "x"), "2026-01-01T12:05:00Z")]
#[case::another_plan_was_stuck("InstallPlanNotStarted", (TOO_LATE, "x"), "2026-01-01T12:05:00Z")]
#[case::plan_was_only_waiting("InstallPlanRequiresApproval", (TOO_LATE, PLAN), "2026-01-01T12:05:00Z")]
fn olm_still_has_time_to_start_a_plan(
    #[case] reason: &str,
    #[case] was: (&str, &str),
    #[case] again: &str,
) {
    let stage = before(approved(established(json!({}))), reason, was);
    let again = Some(again.to_owned());
    assert_eq!(
        verdict_parts(&stage),
        (Status::True, Reason::InstallPlanApproved, false, again)
    );
}

/// The five minutes continue after the message changes, or if the time comes from another clock.
#[rstest]
#[case::changed_message(IN_TIME, IN_TIME)]
#[case::time_in_the_future("2026-01-01T13:00:00Z", "2026-01-01T12:00:00Z")]
fn keeps_approval_time_if_the_message_changes(#[case] was: &str, #[case] since: &str) {
    let stage = approved(established(json!({})));
    let message = "InstallPlan install-b for etcd.v2.0.0 is approved, although health is unknown";
    for message in ["", message] {
        let mut stage = before(
            approved(established(json!({}))),
            "InstallPlanApproved",
            (was, PLAN),
        );
        stage.policy["status"]["conditions"][0]["message"] = json!(message);
        let condition = stage.case(judge).conditions.remove(0);
        assert_eq!(condition.since, Some(at(since)));
    }
    assert_eq!(
        stage.case(judge).conditions[0].since,
        Some(crate::tests::kit::now())
    );
}

/// The approval is withdrawn and granted again in between.
#[test]
fn plan_approved_again_gets_the_full_time_again() {
    let stuck = before(
        approved(established(json!({}))),
        "InstallPlanNotStarted",
        (TOO_LATE, PLAN),
    );
    assert_eq!(verdict_parts(&stuck), STUCK);
    let withdrawn = planned(established(json!({})), json!({}));
    let withdrawn = before(withdrawn, "InstallPlanNotStarted", (TOO_LATE, PLAN));
    let reason = verdict_parts(&withdrawn).1;
    assert_ne!(reason, Reason::InstallPlanNotStarted);
    let again = before(
        approved(established(json!({}))),
        reason.as_str(),
        (TOO_LATE, PLAN),
    );
    assert_eq!(verdict_parts(&again).1, Reason::InstallPlanApproved);
}

#[test]
fn plan_started_late_by_olm_is_installing() {
    let started = json!({"spec": {"approved": true}, "status": {"phase": "Installing"}});
    let stage = planned(established(json!({})), started);
    let stage = before(stage, "InstallPlanNotStarted", (TOO_LATE, PLAN));
    let wanted = (Status::False, Reason::InstallPlansInstalling, true, None);
    assert_eq!(verdict_parts(&stage), wanted);
}

/// Returns a stage with a Subscription for which OLM has not chosen a bundle.
fn new_subscription(status: Value) -> Stage {
    stage(established(json!({}))).object(subscription(json!({"status": status})))
}

#[rstest]
#[case::within_the_limit(json!({}), (IN_TIME, "etcd-uid"), false)]
#[case::after_the_limit(json!({}), (TOO_LATE, "etcd-uid"), true)]
#[case::another_subscription(json!({}), (TOO_LATE, "x"), false)]
#[case::olm_has_reported_something(
    json!({"conditions": [{"type": "CatalogSourcesUnhealthy", "status": "False"}]}),
    (TOO_LATE, "etcd-uid"),
    false
)]
fn message_reports_that_olm_chooses_no_bundle_after_the_limit(
    #[case] status: Value,
    #[case] was: (&str, &str),
    #[case] is_told: bool,
) {
    let stage = before(new_subscription(status), "NoInstallPlansFound", was);
    let condition = stage.case(judge).conditions.remove(0);
    assert_eq!(condition.message.ends_with(OLM), is_told, "{condition:?}");
    assert_eq!(condition.since, is_told.then(|| at(was.0)));
    assert!(!condition.violates);
}
