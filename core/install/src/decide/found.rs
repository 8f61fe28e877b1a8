//! The members that were there before a plan: each by its place among all members, with its uid.

use std::collections::BTreeMap;

use portolan_api::plan::{ConditionType, Intent, OnFound, Status};

pub(super) type Found = BTreeMap<usize, String>;

pub(super) fn print(found: &Found) -> BTreeMap<String, String> {
    let found = found.iter();
    let found = found.map(|(place, uid)| (place.to_string(), uid.clone()));
    found.collect()
}

/// What a status says that was there before a plan.
pub(super) fn written(status: &Status) -> Found {
    let record = status.record.as_ref();
    record
        .map(|record| parse(&record.found))
        .unwrap_or_default()
}

/// What counts as there before a plan. Once all was applied, nothing was for one that takes for its own
/// what it finds, though its status may not be so far yet.
pub(super) fn of(status: &Status, intent: Option<&Intent>) -> Found {
    let is_own = intent.is_some_and(|intent| intent.on_found == OnFound::Own);
    if is_own && status.is_true(ConditionType::Applied) {
        return Found::new();
    }
    written(status)
}

/// Reads what [`print`] wrote. What is not so names no place: then an object counts as not found,
/// and so as one that may not be taken over.
fn parse(written: &BTreeMap<String, String>) -> Found {
    let found = written.iter();
    let found = found.filter_map(|(place, uid)| Some((place.parse().ok()?, uid.clone())));
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_read_as_it_was_written() {
        let found: Found = [0, 2, 10].map(|place| (place, format!("u-{place}"))).into();
        assert_eq!(parse(&print(&found)), found);
        let strange = ["", "x", "-1", "0-3", "18446744073709551616"];
        let strange = strange.map(|place| (place.to_owned(), "u".to_owned()));
        assert_eq!(parse(&strange.into()), Found::new());
    }
}
