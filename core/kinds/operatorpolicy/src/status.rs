//! Renders the status of a policy: its conditions, its history, and the compliance event.

mod compliance;
mod conditions;
mod event;
mod objects;
#[cfg(test)]
mod tests;

use jiff::{SignedDuration, Timestamp, Unit};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};
use portolan_api::{HistoryEvent, OperatorPolicy, OperatorPolicyStatus, Reason};

use self::event::deserves_event;
pub(crate) use self::objects::belongs;
use crate::desired::{
    Action, Condition, ConditionReason, Desired, Report, Status, Step, StepOutcome,
};
use crate::managed;

/// The maximum number of messages in the history.
const HISTORY: usize = 10;
/// The prefix of the text about a step that failed with a conflict.
const OVERTAKEN: &str = " (checked again, because ";

/// The next status of a policy, and its event.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusUpdate {
    /// The complete status to write.
    pub status: OperatorPolicyStatus,
    /// The compliance event. None if no event is emitted.
    pub event: Option<ComplianceEvent>,
}

/// A compliance event about a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComplianceEvent {
    /// True if the policy is Compliant.
    pub is_compliant: bool,
    /// The message, which starts with `Compliant; ` or `NonCompliant; `.
    pub message: String,
    /// The time of the event in the history, in whole microseconds.
    pub at: Timestamp,
}

/// Renders the status of a policy from a report and the previous status.
///
/// A condition keeps its transition time unless its status, reason or message changes. If a
/// condition is kept because newer facts are missing, its message contains the reason. An event is
/// sent in two cases: a condition or the compliance of the policy changes, or a user has emptied
/// `status.compliant` to request an event. If the policy is being deleted and Portolan has removed
/// its finalizer, the status no longer changes. This is true even if another finalizer delays the
/// deletion.
pub fn render_status(
    report: &Report,
    policy: &OperatorPolicy,
    before: &OperatorPolicyStatus,
    now: Timestamp,
) -> StatusUpdate {
    if managed::is_let_go(policy) {
        let status = before.clone();
        return StatusUpdate {
            status,
            event: None,
        };
    }
    if report.is_partial {
        let status = objects::with_namespace(report, policy, before);
        return StatusUpdate {
            status,
            event: None,
        };
    }
    let conditions = conditions::conditions(report, policy, before, now);
    let verdict = compliance::judge(&conditions, report, policy, before);
    let whole = verdict.condition(now);
    let mut status = OperatorPolicyStatus {
        compliant: Some(verdict.compliant(policy)),
        conditions: conditions::status_conditions(conditions, whole, report, before, now),
        history: before.history.clone(),
        observed_generation: policy.metadata.generation,
        overlapping_policies: report.overlapping.clone(),
        related_objects: objects::related(report, before),
        removal: report.removal.clone(),
        resolved_subscription_label: objects::label(report, policy, before),
        subscription_intervention_time: report.intervention.map(Time),
        upgrades: objects::upgrades(report, before),
    };
    if report.conditions.is_empty() && !report.kept.is_empty() {
        objects::keep(&mut status, before);
    }
    let event = deserves_event(&status, before).then(|| {
        let at = instant(&before.history, now);
        remember(&mut status.history, &verdict.message, at);
        ComplianceEvent {
            is_compliant: verdict.is_compliant,
            message: verdict.message,
            at,
        }
    });
    StatusUpdate { status, event }
}

/// Returns the current time, but at least one microsecond after the last event, because the time
/// identifies an event.
fn instant(history: &[HistoryEvent], now: Timestamp) -> Timestamp {
    let now = now.round(Unit::Microsecond).unwrap_or(now);
    let last = history
        .first()
        .and_then(|event| event.last_timestamp.as_ref());
    let next = last.map(|last| last.0.saturating_add(SignedDuration::from_micros(1)));
    match next {
        Some(Ok(next)) => now.max(next),
        Some(Err(_)) | None => now,
    }
}

/// Adds an event to the history. If the last event has the same message, replaces it.
fn remember(history: &mut Vec<HistoryEvent>, message: &str, at: Timestamp) {
    let is_same = |event: &HistoryEvent| event.message.as_deref() == Some(message);
    if history.first().is_some_and(is_same) {
        history.remove(0);
    }
    let event = HistoryEvent {
        last_timestamp: Some(MicroTime(at)),
        message: Some(message.to_owned()),
    };
    history.insert(0, event);
    history.truncate(HISTORY);
}

// === impl Desired ===

impl Desired {
    /// Returns true if the status before the steps needs its own event. This is the case if a step
    /// creates, changes or deletes an object, and no condition reports that an object is being
    /// deleted.
    pub fn is_worth_early_event(&self) -> bool {
        let changes = self.steps.iter().any(|step| match step.action {
            Action::Create(_) | Action::Apply(_) | Action::Replace { .. } => true,
            Action::Delete { .. } => true,
            Action::Approve(_) | Action::AdoptCsv { .. } => false,
            Action::AddFinalizer | Action::RemoveFinalizer | Action::WriteStatus => false,
        });
        let is_leaving = |condition: &Condition| match condition.reason {
            ConditionReason::Ours(reason) => LEAVING.contains(&reason),
            ConditionReason::Olm(_) => false,
        };
        changes && !self.report.conditions.iter().any(is_leaving)
    }

    /// Returns the report after the steps, based on their outcomes.
    pub fn after(&self, outcomes: &[StepOutcome]) -> Report {
        let mut report = self.report.clone();
        for (step, outcome) in self.steps.iter().zip(outcomes) {
            match outcome {
                StepOutcome::Done { uid } => done(&mut report, step, uid.as_deref()),
                StepOutcome::Overtaken(why) => overtaken(&mut report, step, why),
                StepOutcome::Refused(why) => {
                    failed(
                        &mut report,
                        step,
                        &format!("but the API server rejects the request: {why}"),
                    );
                }
                StepOutcome::Lost(why) => {
                    failed(
                        &mut report,
                        step,
                        &format!("but the result is unknown: {why}"),
                    );
                }
            }
        }
        report
    }
}

/// The reasons of conditions about objects that are being deleted.
const LEAVING: [Reason; 4] = [
    Reason::OperatorGroupDeleting,
    Reason::SubscriptionDeleting,
    Reason::ClusterServiceVersionDeleting,
    Reason::CustomResourceDefinitionDeleting,
];

fn done(report: &mut Report, step: &Step, uid: Option<&str>) {
    match step.action {
        // These steps change the policy itself, and no condition reports them.
        Action::AddFinalizer | Action::RemoveFinalizer | Action::WriteStatus => return,
        Action::Create(_) | Action::Apply(_) | Action::Replace { .. } => {}
        Action::Approve(_) | Action::AdoptCsv { .. } | Action::Delete { .. } => {}
    }
    put(report, step.done.clone());
    if !step.related.is_empty() {
        let related = step.related.iter().cloned();
        let related = related.map(|each| objects::with_uid(each, uid)).collect();
        report
            .related
            .retain(|(type_, _)| *type_ != step.done.type_);
        report.related.push((step.done.type_, related));
    }
}

/// Reports a step that failed with a conflict. A conflict does not count as a failure. The
/// condition stays unchanged, except for its message, until the next reconciliation.
fn overtaken(report: &mut Report, step: &Step, why: &str) {
    let mut conditions = report.conditions.iter_mut();
    if let Some(condition) = conditions.find(|condition| condition.type_ == step.type_) {
        let tried = format!("{OVERTAKEN}{} was tried: {why})", step.action);
        condition.message.push_str(&tried);
    }
}

/// Reports a failed step. The condition of the step now violates the policy. Its message describes
/// both the observed state and the failure.
fn failed(report: &mut Report, step: &Step, why: &str) {
    let tried = format!("{} was tried, {why}", step.action);
    let before = report
        .conditions
        .iter()
        .find(|condition| condition.type_ == step.type_);
    let message = match before {
        Some(condition) if !condition.message.is_empty() => {
            format!("{}; {tried}", condition.message)
        }
        Some(_) | None => tried,
    };
    let reason = match before {
        Some(condition) if !is_content(condition) => condition.reason.clone(),
        Some(_) | None => ConditionReason::Ours(Reason::Withheld),
    };
    let condition = Condition {
        reason,
        ..Condition::bad(step.type_, Reason::Withheld, message)
    };
    put(report, condition);
}

/// Returns true if the condition reports success, and its reason would therefore contradict a
/// failure. A waiting InstallPlan is an exception: its reason does not contradict a failure.
fn is_content(condition: &Condition) -> bool {
    let waits = ConditionReason::Ours(Reason::InstallPlanRequiresApproval);
    condition.status == Status::good(condition.type_) && condition.reason != waits
}

fn put(report: &mut Report, condition: Condition) {
    report.kept.retain(|(type_, _)| *type_ != condition.type_);
    report
        .conditions
        .retain(|each| each.type_ != condition.type_);
    report.conditions.push(condition);
}

// === impl Status ===

impl Status {
    /// Returns the value of the condition's status field.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }

    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "True" => Self::True,
            "False" => Self::False,
            _ => Self::Unknown,
        }
    }
}
