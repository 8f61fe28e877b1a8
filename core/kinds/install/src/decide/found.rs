//! The members that were there before a plan: each by its place among all members, with its uid.
//!
//! A plan that comes to rest half way has not made all of its members. What it gets back of the others may be what
//! another plan found, which may be gone by then; so these are in the record, too, with an uid that no object has.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::{ConditionType, Intent, MOST_MEMBERS, MemberState, OnFound, Status};

use crate::manifest::Members;

pub(super) type FoundUids = BTreeMap<usize, String>;

/// The uid of a member that was not made yet.
const UNMADE: &str = "";

pub(super) fn print(found: &FoundUids) -> BTreeMap<String, String> {
    let found = found.iter();
    let found = found.map(|(place, uid)| (place.to_string(), uid.clone()));
    found.collect()
}

/// The members that were there before a plan, by its status.
pub(super) fn written(status: &Status) -> FoundUids {
    let record = status.record.as_ref();
    record
        .map(|record| parse(&record.found))
        .unwrap_or_default()
}

/// The members that count as there before a plan. For a plan with `onFound: Own` there are none
/// once all was applied, though its status may not say so yet.
pub(super) fn of(status: &Status, intent: Option<&Intent>) -> FoundUids {
    let is_own = intent.is_some_and(|intent| intent.on_found == OnFound::Own);
    if is_own && status.is_true(ConditionType::Applied) {
        return FoundUids::new();
    }
    written(status)
}

/// The members that a plan may not have made yet, as far as it says how far it has come.
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

/// Records that these were not made yet.
pub(super) fn leave_unmade(found: &mut FoundUids, places: impl Iterator<Item = usize>) {
    found.extend(places.map(|place| (place, UNMADE.to_owned())));
}

/// Whether the plan had not made a member when it came to rest.
pub(super) fn is_unmade(found: &FoundUids, place: usize) -> bool {
    found.get(&place).is_some_and(|uid| uid == UNMADE)
}

/// Reads what [`print`] wrote. What is not so names no place: then an object counts as not found,
/// and so as one that may not be taken over.
fn parse(written: &BTreeMap<String, String>) -> FoundUids {
    let found = written.iter();
    let found = found.filter_map(|(place, uid)| Some((place.parse().ok()?, uid.clone())));
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_read_as_it_was_written() {
        let found: FoundUids = [0, 2, 10].map(|place| (place, format!("u-{place}"))).into();
        assert_eq!(parse(&print(&found)), found);
        let strange = ["", "x", "-1", "0-3", "18446744073709551616"];
        let strange = strange.map(|place| (place.to_owned(), "u".to_owned()));
        assert_eq!(parse(&strange.into()), FoundUids::new());
    }
}
