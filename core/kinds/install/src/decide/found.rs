//! The members that existed before a plan, each with the member index and the uid.
//!
//! A plan may be replaced before all its members are created. When the plan later takes its objects
//! back, the record must show which of these members other clients created. The plan that found
//! them may be deleted by then. Therefore the record also lists the members that were not created
//! yet, with an empty uid.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::{ConditionType, Intent, MOST_MEMBERS, MemberState, OnFound, Status};

use crate::manifest::Members;

pub(super) type FoundUids = BTreeMap<usize, String>;

/// The uid recorded for a member that was not created yet.
const UNMADE: &str = "";

pub(super) fn print(found: &FoundUids) -> BTreeMap<String, String> {
    let found = found.iter();
    let found = found.map(|(place, uid)| (place.to_string(), uid.clone()));
    found.collect()
}

/// Returns the members that existed before a plan, as its status records them.
pub(super) fn written(status: &Status) -> FoundUids {
    let record = status.record.as_ref();
    record
        .map(|record| parse(&record.found))
        .unwrap_or_default()
}

/// Returns the members that count as existing before a plan. Empty for a plan with `onFound: Own`
/// after all its members were applied once, even if its status still lists found members.
pub(super) fn of(status: &Status, intent: Option<&Intent>) -> FoundUids {
    let is_own = intent.is_some_and(|intent| intent.on_found == OnFound::Own);
    if is_own && status.is_true(ConditionType::Applied) {
        return FoundUids::new();
    }
    written(status)
}

/// Returns the members that a plan may not have created yet, given the progress in its status.
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

/// Records that these members were not created yet.
pub(super) fn leave_unmade(found: &mut FoundUids, places: impl Iterator<Item = usize>) {
    found.extend(places.map(|place| (place, UNMADE.to_owned())));
}

/// Returns true if another plan replaced the plan before it created a member.
pub(super) fn is_unmade(found: &FoundUids, place: usize) -> bool {
    found.get(&place).is_some_and(|uid| uid == UNMADE)
}

/// Parses the result of [`print`]. Drops invalid entries. The objects in these entries then count
/// as not found, and may not be adopted.
fn parse(written: &BTreeMap<String, String>) -> FoundUids {
    let found = written.iter();
    let found = found.filter_map(|(place, uid)| Some((place.parse().ok()?, uid.clone())));
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_restores_printed_members() {
        let found: FoundUids = [0, 2, 10].map(|place| (place, format!("u-{place}"))).into();
        assert_eq!(parse(&print(&found)), found);
        let strange = ["", "x", "-1", "0-3", "18446744073709551616"];
        let strange = strange.map(|place| (place.to_owned(), "u".to_owned()));
        assert_eq!(parse(&strange.into()), FoundUids::new());
    }
}
