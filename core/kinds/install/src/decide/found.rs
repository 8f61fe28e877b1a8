//! The members that existed before a plan, each with its index and uid. The status records them.
//!
//! Another plan may replace this plan before it has created all its members. This plan may take the
//! objects back later. The record must then show which of them other clients created, because the
//! plan that found them may be deleted. For this reason, the record also lists members that were
//! not created yet, with an empty uid.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::{ConditionType, Intent, MOST_MEMBERS, MemberState, OnFound, Status};

use crate::manifest::Members;

pub(super) type FoundUids = BTreeMap<usize, String>;

/// The recorded uid of a member that was not created before another plan replaced the plan.
const UNMADE: &str = "";

pub(super) fn print(found: &FoundUids) -> BTreeMap<String, String> {
    let found = found.iter();
    let found = found.map(|(place, uid)| (place.to_string(), uid.clone()));
    found.collect()
}

/// Returns the members that existed before the plan, as recorded in its status.
pub(super) fn written(status: &Status) -> FoundUids {
    let record = status.record.as_ref();
    record
        .map(|record| parse(&record.found))
        .unwrap_or_default()
}

/// Returns the members that count as existing before the plan. If the plan has `onFound: Own` and
/// all its members were applied once, no member counts, even if the status still lists some.
pub(super) fn of(status: &Status, intent: Option<&Intent>) -> FoundUids {
    let is_own = intent.is_some_and(|intent| intent.on_found == OnFound::Own);
    if is_own && status.is_true(ConditionType::Applied) {
        return FoundUids::new();
    }
    written(status)
}

/// Returns the members that the plan may not have created yet, according to the progress in its
/// status.
pub(super) fn unsettled(status: &Status, members: &Members) -> BTreeSet<usize> {
    let reached = status.stage.as_ref().map_or(0, |stage| stage.index) as usize;
    let has_told = status.counts.is_some();
    let told = status.members.iter().filter(|told| match told.state {
        MemberState::NotApplied | MemberState::Refused => true,
        MemberState::Failed
        | MemberState::Missing
        | MemberState::NotReady
        | MemberState::Drifted
        | MemberState::Contested
        | MemberState::Held
        | MemberState::Terminating
        | MemberState::Remaining
        | MemberState::Unknown => false,
    });
    let told: BTreeSet<_> = told.map(|told| told.object.as_str()).collect();
    let is_cut = told.len() == MOST_MEMBERS || !has_told;
    let all = members.iter().enumerate();
    let unsettled = all.filter(|(_, member)| {
        let is_told = || is_cut || told.contains(member.identity.to_string().as_str());
        member.place.stage > reached || (member.place.stage == reached && is_told())
    });
    unsettled.map(|(place, _)| place).collect()
}

/// Records that the plan has not created these members.
pub(super) fn leave_unmade(found: &mut FoundUids, places: impl Iterator<Item = usize>) {
    found.extend(places.map(|place| (place, UNMADE.to_owned())));
}

/// Returns true if another plan replaced this plan before it created the member.
pub(super) fn is_unmade(found: &FoundUids, place: usize) -> bool {
    found.get(&place).is_some_and(|uid| uid == UNMADE)
}

/// Parses the result of [`print`]. Ignores invalid entries. Their objects then count as not found,
/// so the plan may not adopt them.
fn parse(written: &BTreeMap<String, String>) -> FoundUids {
    let found = written.iter();
    let found = found.filter_map(|(place, uid)| Some((place.parse().ok()?, uid.clone())));
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_uids_round_trip_and_invalid_entries_are_ignored() {
        let found: FoundUids = [0, 2, 10].map(|place| (place, format!("u-{place}"))).into();
        assert_eq!(parse(&print(&found)), found);
        let strange = ["", "x", "-1", "0-3", "18446744073709551616"];
        let strange = strange.map(|place| (place.to_owned(), "u".to_owned()));
        assert_eq!(parse(&strange.into()), FoundUids::new());
    }
}
