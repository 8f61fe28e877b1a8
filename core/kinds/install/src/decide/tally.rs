//! The numbers that metrics report about a plan.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::plan::{ConditionType, Status};

/// The number of members that differ from their applied manifests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Drifting {
    /// The number of members that other clients have changed or deleted. Contested members count
    /// too.
    pub drifted: u32,
    /// The number of contested members. The controller does not repair them for a while, because
    /// other clients reverted each repair.
    pub contested: u32,
}

/// The drift that a decision found, for metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriftTally {
    Known(Drifting),
    /// Drift was not checked. The last known numbers remain valid.
    AsBefore,
    /// The plan has no members that can drift: no stage was applied, another plan replaces this
    /// plan, or the plan is being deleted.
    None,
}

/// Returns the time from the creation of a plan until it was ready for the first time. `after` must
/// be the first status in which it is ready. `before` is the status before. Returns None otherwise.
///
/// The time is computed from the conditions, so that each controller replica gets the same result.
/// `Ready` is True only while `Applied` is True. If `Ready` became False before `Applied` became
/// True, the plan was never ready before.
///
/// Also returns None if the plan took its objects back from a successor, because it may have been
/// ready before.
pub fn time_to_ready(
    created: Timestamp,
    before: &Status,
    after: &Status,
) -> Option<SignedDuration> {
    let ready = after.condition(ConditionType::Ready)?;
    if ready.status != "True" || before.is_true(ConditionType::Ready) {
        return None;
    }
    let since = |condition: &Condition| condition.last_transition_time.0;
    let applied = since(after.condition(ConditionType::Applied)?);
    let waited = before
        .condition(ConditionType::Ready)
        .map_or(created, since);
    let gave_way = before.condition(ConditionType::Replaced).map(since);
    if waited > applied || gave_way.is_some_and(|at| at > waited) {
        return None;
    }
    // The clocks of different machines may differ, so a negative time counts as zero.
    Some(
        since(ready)
            .duration_since(created)
            .max(SignedDuration::ZERO),
    )
}
