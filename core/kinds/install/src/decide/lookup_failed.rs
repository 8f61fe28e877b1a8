//! The status of a plan while the controller cannot look up some facts.

use portolan_api::plan::{ConditionType, Phase, Reason, Status};
use portolan_api::status::ConditionTypes;
use portolan_core_names::text::{cite, plain};

use super::observation::Observation;
use super::report::{Report, Scope, UndatedCondition, waits_until};

/// The start of the condition message for a failed lookup.
const SENTENCE: &str = "an object cannot be checked, and is retried: ";

/// Returns the status of a plan while the controller cannot look up some facts.
///
/// # Guarantees
///
/// Conditions that are already known do not change. The first condition that depends on the missing
/// facts gets the message. Later failures do not change this message, because each change would
/// cause a write.
pub fn lookup_failed(observed: &Observation, why: &str) -> Status {
    let before = &observed.status;
    let message = plain(&format!("{SENTENCE}{}", cite(why)));
    if before.conditions.is_empty() {
        let valid = UndatedCondition::not_yet(Reason::NotObserved, message);
        let report = Report::before(Phase::Pending, valid, waits_until("valid"));
        return report.render(observed, &Scope::Whole, None);
    }
    let mut status = before.clone();
    let is_terminating = observed.plan.terminating_since.is_some();
    let mut conditions = status.conditions.iter_mut();
    let open = conditions.find(|condition| {
        let type_ = ConditionType::of(condition);
        type_.is_some_and(|type_| is_looked_up(type_, is_terminating)) && condition.status != "True"
    });
    let waits = [
        Reason::NotObserved,
        Reason::Waiting,
        Reason::Applying,
        Reason::Deleting,
    ];
    let open = open.filter(|open| waits.iter().any(|reason| open.reason == reason.as_str()));
    if let Some(open) = open.filter(|open| !open.message.starts_with(SENTENCE)) {
        open.message = message;
    }
    status
}

/// Returns true if a plan with missing facts stops at this condition, because it cannot become True
/// without them.
fn is_looked_up(type_: ConditionType, is_terminating: bool) -> bool {
    match type_ {
        ConditionType::Valid | ConditionType::Permitted | ConditionType::Applied => !is_terminating,
        ConditionType::Ready => is_terminating,
        ConditionType::Drifted | ConditionType::Replaced => false,
    }
}
