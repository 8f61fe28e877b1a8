//! The limit on how often members are put right before an admin has to find out who is against it.
//!
//! ```text
//! put right up to three times in ten minutes -- once more --> left as it is for an hour
//!                                                             |  or a new generation, or annotation
//! ```
//!
//! It is kept in the status, so that it is the same for any controller that carries the plan on.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_api::plan::{ConditionType, MemberState, MemberStatus, Repairs, Status};

use super::observation::Observation;

/// The most times that a member is put right in that time.
const MOST_TIMES: u32 = 3;
const WINDOW: SignedDuration = SignedDuration::from_mins(10);
/// The time for which a member is left as it is that would be put right more often.
const PAUSE: SignedDuration = SignedDuration::from_hours(1);
/// The most members that are put right in that time: a status has its bounds.
const MOST_MEMBERS: usize = 1_000;

/// Whether a member is put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leave {
    Given,
    /// Many others are put right already.
    Later(Timestamp),
    /// Others have changed it too often.
    Contested {
        times: u32,
        since: Timestamp,
        until: Timestamp,
    },
}

/// The repairs so far, as far as they count.
pub(super) fn current(observed: &Observation) -> BTreeMap<String, Repairs> {
    if begins_anew(observed) {
        return BTreeMap::new();
    }
    observed.status.repairs.clone()
}

/// Whether the plan was changed, or a user wants to have it tried again.
pub(super) fn begins_anew(observed: &Observation) -> bool {
    let (status, plan) = (&observed.status, &observed.plan);
    let is_other = status.observed_generation != Some(plan.generation);
    is_other || status.retried != plan.retry
}

/// Puts into a status what counts from now on.
pub(super) fn say(observed: &Observation, status: &mut Status) {
    status.repairs = current(observed);
    status.retried.clone_from(&observed.plan.retry);
}

/// Asks to put a member right, and counts that.
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

/// Counts that a member was put right.
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

/// Whether a status says nothing but what another one does, and that members were put right: how often, and
/// that others had changed them.
pub fn only_repairs(before: &Status, after: &Status) -> bool {
    let others = |status: &Status| {
        let mut others = status.clone();
        others.repairs.clear();
        let is_drift = |said: &Condition| said.type_ == ConditionType::Drifted.as_str();
        others.conditions.retain(|said| !is_drift(said));
        let is_drifted = |member: &MemberStatus| member.state == MemberState::Drifted;
        others.members.retain(|member| !is_drifted(member));
        others
    };
    others(before) == others(after)
}

/// Drops what counts no more.
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
