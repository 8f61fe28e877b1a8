//! The status of a plan while facts about it cannot be looked up.

use portolan_api::plan::{ConditionType, Phase, Reason, Status};
use portolan_core_names::text::{cite, plain};

use super::observation::Observation;
use super::report::{Report, UndatedCondition};

/// The start of the message of a condition that reports a failed lookup.
const SENTENCE: &str = "something cannot be looked at, and is tried again: ";

/// Returns the status of a plan for as long as facts about it cannot be looked up.
///
/// # Guarantees
///
/// Known facts keep their conditions. The first condition that depends on an unknown fact gets the
/// message, and the first message stays, so that the status is not written repeatedly.
pub fn unlooked(observed: &Observation, why: &str) -> Status {
    let before = &observed.status;
    let message = plain(&format!("{SENTENCE}{}", cite(why)));
    if before.conditions.is_empty() {
        let valid = UndatedCondition::not_yet(Reason::NotLookedAt, message);
        let report = Report::before(Phase::Pending, valid, UndatedCondition::waits("valid"));
        return report.render(before, observed.plan.generation, observed.now);
    }
    let mut status = before.clone();
    let about = match observed.plan.terminating_since {
        Some(_) => &[ConditionType::Ready][..],
        None => &[
            ConditionType::Valid,
            ConditionType::Permitted,
            ConditionType::Applied,
        ],
    };
    let mut conditions = status.conditions.iter_mut();
    let open = conditions.find(|condition| {
        let is_about = about.iter().any(|about| condition.type_ == about.as_str());
        is_about && condition.status != "True"
    });
    let waits = [
        Reason::NotLookedAt,
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
