//! Reads the progress of a plan from its status.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::plan::{ConditionType, MemberState, Phase, Reason, Status};
use portolan_core_names::text::one_line;

use super::{HopState, PlanValidity};

pub(super) fn is_owned(status: &Status) -> bool {
    let owned = [Reason::ObjectNotOwned, Reason::FieldConflict];
    let applied = status.condition(ConditionType::Applied);
    applied.is_some_and(|applied| owned.iter().any(|it| it.as_str() == applied.reason))
}

pub(super) fn verdict(generation: Option<i64>, status: &Status) -> PlanValidity {
    if status.observed_generation != generation {
        return PlanValidity::Open("its InstallPlan has not been reconciled yet".to_owned());
    }
    let said = |type_| status.condition(type_);
    let message = |type_| {
        said(type_)
            .map(|it| one_line(&it.message))
            .unwrap_or_default()
    };
    if status.is_false(ConditionType::Valid) {
        return PlanValidity::Invalid(message(ConditionType::Valid));
    }
    let is_unserved = |said: &Condition| said.reason == Reason::KindNotServed.as_str();
    if said(ConditionType::Valid).is_some_and(is_unserved) {
        // The API server does not serve a kind of the plan, so the dry run failed. The plan is
        // checked again later, and becomes valid when the API server serves the kind.
        return PlanValidity::Invalid(message(ConditionType::Valid));
    }
    if status.is_false(ConditionType::Permitted) {
        return PlanValidity::NotPermitted(message(ConditionType::Permitted));
    }
    for type_ in [ConditionType::Valid, ConditionType::Permitted] {
        if !status.is_true(type_) {
            return PlanValidity::Open(message(type_));
        }
    }
    match said(ConditionType::Applied) {
        Some(applied) if applied.reason == Reason::Suspended.as_str() => PlanValidity::Good,
        Some(applied) if applied.status == "False" => {
            PlanValidity::Invalid(message(ConditionType::Applied))
        }
        Some(_) | None => PlanValidity::Open(message(ConditionType::Applied)),
    }
}

pub(super) fn begun(status: &Status) -> HopState {
    let ready = status.condition(ConditionType::Ready);
    let since = ready.filter(|ready| ready.status == "True");
    let applied = status.condition(ConditionType::Applied);
    let is_applied = status.is_true(ConditionType::Applied);
    let message = match (applied, ready) {
        (Some(applied), _) if !is_applied => one_line(&applied.message),
        (_, Some(ready)) => one_line(&ready.message),
        (_, None) => "its InstallPlan has not been reconciled yet".to_owned(),
    };
    HopState::Begun {
        is_applied,
        ready_since: since.map(|ready| ready.last_transition_time.0),
        problem: problem(status),
        message,
    }
}

/// Returns a permanent problem that prevents the completion of the plan. Returns None if there is
/// no such problem.
pub(super) fn problem(status: &Status) -> Option<String> {
    let refused = [ConditionType::Valid, ConditionType::Permitted]
        .into_iter()
        .filter_map(|type_| status.condition(type_))
        .find(|condition| condition.status == "False");
    let applied = status.condition(ConditionType::Applied).filter(|applied| {
        let stuck = [
            Reason::StageDeadlineExceeded,
            Reason::JobFailed,
            Reason::SelectionTooLarge,
            Reason::ObjectNotOwned,
            Reason::FieldConflict,
            Reason::WriteRejected,
        ];
        applied.status != "True" && stuck.iter().any(|it| it.as_str() == applied.reason)
    });
    let ready = status.condition(ConditionType::Ready).filter(|ready| {
        let is_failed = ready.reason == Reason::MembersFailed.as_str();
        ready.status == "False" && (is_failed || status.phase == Some(Phase::Failed))
    });
    let condition = refused.or(applied).or(ready);
    let failed = || {
        // A failed object is reported at once, because the stage may wait longer than the progress
        // deadline of a Deployment.
        let mut members = status.members.iter();
        let failed = members.find(|member| member.state == MemberState::Failed)?;
        Some(one_line(&format!("{} {}", failed.object, failed.message)))
    };
    condition
        .map(|condition| one_line(&condition.message))
        .or_else(failed)
}
