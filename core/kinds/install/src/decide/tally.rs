//! The metrics of a plan.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::plan::{ConditionType, Status};

/// The number of members that differ from their manifests as applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Drifting {
    /// The members that others have changed or deleted, including the contested ones.
    pub drifted: u32,
    /// The members that are left alone for a while, because others undo each repair.
    pub contested: u32,
}

/// The drift in a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriftTally {
    Known(Drifting),
    /// Drift was not checked, so the last known numbers remain valid.
    AsBefore,
    /// The members cannot drift: no stage was applied, another plan has taken over, or the plan is
    /// being deleted.
    None,
}

/// Returns the time from the creation of a plan until it was ready, if `after` is the first status
/// with that condition. `before` is the previous status.
///
/// The time is computed from the conditions, so that any controller that continues the plan gets
/// the same result. `Ready` is True only while `Applied` is. So the plan was never ready before if
/// `Ready` has been False since before `Applied` became True. A plan that got its place back was
/// ready before, or that is unknown.
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
    // The clocks of several machines always differ slightly.
    Some(
        since(ready)
            .duration_since(created)
            .max(SignedDuration::ZERO),
    )
}
