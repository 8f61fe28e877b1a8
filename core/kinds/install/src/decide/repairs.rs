//! Limits the repairs of a member. At the limit, an administrator must find the client that keeps
//! changing the member.
//!
//! ```text
//! repaired up to three times in ten minutes -- once more --> unchanged for an hour
//!                                                            |  or until a new generation or retry
//! ```
//!
//! The counts are stored in the status, so another controller replica continues with the same
//! counts.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_api::plan::{ConditionType, MemberState, MemberStatus, Repairs, Status};
use portolan_api::status::ConditionTypes;

use super::observation::Observation;

/// The maximum number of repairs of a member in one window.
const MOST_TIMES: u32 = 3;
const WINDOW: SignedDuration = SignedDuration::from_mins(10);
/// The time for which a member at the limit is not repaired.
const PAUSE: SignedDuration = SignedDuration::from_hours(1);
/// The maximum number of members repaired in one window. The limit exists because the size of a
/// status is limited.
const MOST_MEMBERS: usize = 1_000;

/// The permission to repair a member now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leave {
    Given,
    /// Too many other members were repaired in this window. The repair must wait until this time.
    Later(Timestamp),
    /// Other clients have changed the member too often, so it is not repaired until the pause ends.
    Contested {
        times: u32,
        since: Timestamp,
        until: Timestamp,
    },
}

/// Returns the repairs that still count. After a reset, no repairs count.
pub(super) fn current(observed: &Observation) -> BTreeMap<String, Repairs> {
    if begins_anew(observed) {
        return BTreeMap::new();
    }
    observed.status.repairs.clone()
}

/// Returns true if the repair counts must be reset. This is the case if the plan has a new
/// generation, or if a user requested a retry.
pub(super) fn begins_anew(observed: &Observation) -> bool {
    let (status, plan) = (&observed.status, &observed.plan);
    let is_other = status.observed_generation != Some(plan.generation);
    is_other || status.retried != plan.retry
}

/// Writes the repairs that still count to a status.
pub(super) fn record(observed: &Observation, status: &mut Status) {
    status.repairs = current(observed);
    status.retried.clone_from(&observed.plan.retry);
}

/// Decides if the member may be repaired now. If it may, counts the repair.
pub(super) fn leave(
    repairs: &mut BTreeMap<String, Repairs>,
    place: usize,
    now: Timestamp,
) -> Leave {
    let known = repairs.get(&place.to_string());
    if let Some(known) =
        known.filter(|known| known.times >= MOST_TIMES && is_young(known, now, PAUSE))
    {
        let Time(since) = known.since;
        return Leave::Contested {
            times: known.times,
            since,
            until: after(since, PAUSE),
        };
    }
    if known.is_none() && repairs.len() >= MOST_MEMBERS {
        repairs.retain(|_, known| counts(known, now));
        if repairs.len() >= MOST_MEMBERS {
            return Leave::Later(after(now, WINDOW));
        }
    }
    count(repairs, place, now);
    Leave::Given
}

/// Counts a repair of a member.
pub(super) fn count(repairs: &mut BTreeMap<String, Repairs>, place: usize, now: Timestamp) {
    let new = Repairs {
        times: 0,
        since: Time(now),
    };
    let known = repairs
        .entry(place.to_string())
        .or_insert_with(|| new.clone());
    let is_over = known.times >= MOST_TIMES || !is_young(known, now, WINDOW);
    if is_over {
        *known = new;
    }
    known.times += 1;
}

/// Returns true if the statuses differ only in the repair counts and in the reported drift.
pub fn only_repairs(before: &Status, after: &Status) -> bool {
    let others = |status: &Status| {
        let mut others = status.clone();
        others.repairs.clear();
        let is_drift = |said: &Condition| ConditionType::of(said) == Some(ConditionType::Drifted);
        others.conditions.retain(|said| !is_drift(said));
        let is_drifted = |member: &MemberStatus| member.state == MemberState::Drifted;
        others.members.retain(|member| !is_drifted(member));
        others
    };
    others(before) == others(after)
}

/// Removes the repairs that no longer count, because they are too old.
pub(super) fn expire(repairs: &mut BTreeMap<String, Repairs>, now: Timestamp) {
    repairs.retain(|_, known| counts(known, now));
}

fn counts(known: &Repairs, now: Timestamp) -> bool {
    let time = if known.times >= MOST_TIMES {
        PAUSE
    } else {
        WINDOW
    };
    is_young(known, now, time)
}

fn is_young(known: &Repairs, now: Timestamp, time: SignedDuration) -> bool {
    now < after(known.since.0, time)
}

fn after(since: Timestamp, time: SignedDuration) -> Timestamp {
    since.checked_add(time).unwrap_or(Timestamp::MAX)
}
