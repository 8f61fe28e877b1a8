//! The figures of a plan for those who watch many.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::plan::{ConditionType, Status};

use super::observation::Decision;

/// The number of members that are not as they were applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Drifting {
    /// Those that others have changed or deleted, the contested ones included.
    pub drifted: u32,
    /// Those that are left as they are for a while, as others change them as often as they are put
    /// right.
    pub contested: u32,
}

/// The drift that a decision tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriftTally {
    Known(Drifting),
    /// It was not looked at: the last known numbers hold.
    AsBefore,
    /// The plan is in no state in which members drift: no stage was applied, another plan has its
    /// place, or it is being deleted.
    None,
}

impl Decision {
    /// The drift that it tells.
    pub fn drift_tally(&self) -> DriftTally {
        match self.drifting {
            Some(drifting) => DriftTally::Known(drifting),
            None if self.status.condition(ConditionType::Drifted).is_some() => DriftTally::AsBefore,
            None => DriftTally::None,
        }
    }
}

/// Returns the time from the creation of a plan until it was ready, if `after` is the first status
/// that says so; `before` is the one that was there.
///
/// It is told from the times of the conditions, so that any controller that carries the plan on
/// counts the same. `Ready` is True only while `Applied` is: the plan was never ready before if
/// `Ready` has been False since before `Applied` became True. A plan that got its place back has
/// been ready, or it is not known whether it was.
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
    // Clocks of several machines are never quite the same.
    Some(
        since(ready)
            .duration_since(created)
            .max(SignedDuration::ZERO),
    )
}
