//! The metrics of a plan.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::plan::{ConditionType, Status};

/// The number of members that differ from their manifests as applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Drifting {
    /// The members that other clients have changed or deleted. Includes the contested members.
    pub drifted: u32,
    /// The members that are not repaired for a while, because other clients reverted each repair.
    pub contested: u32,
}

/// The drift that a decision found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriftTally {
    Known(Drifting),
    /// Drift was not checked. The last known numbers remain valid.
    AsBefore,
    /// The members cannot drift: no stage was applied, another plan replaces this plan, or the plan
    /// is being deleted.
    None,
}

/// Returns the time from the creation of a plan until it was ready, if `after` is the first status
/// with that condition. `before` is the previous status.
///
/// The time is computed from the conditions, so that each controller replica gets the same result.
/// `Ready` is True only while `Applied` is True. If `Ready` became False before `Applied` became
/// True, the plan was never ready before. Returns None for a plan that took its objects back from a
/// successor, because the plan may have been ready before.
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
    // The clocks of different machines always differ slightly.
    Some(
        since(ready)
            .duration_since(created)
            .max(SignedDuration::ZERO),
    )
}
