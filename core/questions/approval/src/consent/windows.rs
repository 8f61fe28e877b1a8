//! Finds times at which the time windows of several Policies are open together.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use portolan_core_rules::schedule::{Schedule, State, Window, state, windows};

use crate::consent::OperatorId;
use crate::consent::world::{PolicySet, names};

/// The length of the search for a time when all windows are open.
const SEARCHED: SignedDuration = SignedDuration::from_hours(366 * 24);
/// The maximum number of windows that the search checks. If the search reaches this number, the
/// result is unknown.
const MOST: usize = 2000;

/// A Policy with time windows that applies to an operator, and the PolicyBinding that refers to the
/// Policy. The operator may only be upgraded in these windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimit<'a> {
    pub binding: &'a str,
    pub policy: &'a str,
    /// The schedules of the Policy. At least one schedule must be open.
    pub schedules: &'a [Schedule],
}

/// Returns true if the windows of all Policies are never open at the same time within a year.
/// Returns false if the search takes too long.
pub fn never_overlap(limits: &[TimeLimit<'_>], from: Timestamp) -> bool {
    let Ok(end) = from.checked_add(SEARCHED) else {
        return false;
    };
    let mut at = from;
    for _ in 0..MOST {
        let closed: Vec<Option<Timestamp>> = limits.iter().filter_map(|it| it.opens(at)).collect();
        if closed.is_empty() {
            return false;
        }
        let latest = closed.into_iter().collect::<Option<BTreeSet<_>>>();
        match latest.and_then(|opens| opens.last().copied()) {
            Some(opens) if opens <= end => at = opens,
            Some(_) | None => return true,
        }
    }
    false
}

// === impl TimeLimit ===

impl TimeLimit<'_> {
    /// Returns the window that is open at a time or, if all are closed, the next window. Returns
    /// None if no more window opens.
    pub fn first(&self, from: Timestamp) -> Option<Window> {
        windows(self.schedules, from).next()
    }

    /// Returns None if a window is open. Otherwise, returns the time at which the next window
    /// opens, or `Some(None)` if no more window opens.
    fn opens(&self, at: Timestamp) -> Option<Option<Timestamp>> {
        match state(self.schedules, at) {
            State::Open { .. } => None,
            State::Closed { opens } => Some(opens),
        }
    }
}

// === impl PolicySet ===

impl PolicySet {
    /// Returns the time limits of an operator from all valid bindings that are not broken.
    /// `operators` contains all existing operators.
    pub fn time_limits(
        &self,
        operators: &BTreeSet<OperatorId>,
        operator: &OperatorId,
    ) -> Vec<TimeLimit<'_>> {
        let bindings = self.bindings().iter();
        let valid = bindings.filter_map(|(name, binding)| Some((name, binding.as_ref().ok()?)));
        let effective = valid.filter(|(_, binding)| {
            names(binding, operator) && self.missing(binding, operators).is_empty()
        });
        let bound = effective.flat_map(|(name, binding)| self.bound(name, binding));
        let limits = bound.filter_map(|bound| {
            Some(TimeLimit {
                binding: bound.binding,
                policy: bound.name,
                schedules: bound.policy.ok()?.schedules.as_deref()?,
            })
        });
        limits.collect()
    }
}

#[cfg(test)]
mod tests {
    use portolan_core_rules::schedule::{Moments, Zone};
    use rstest::rstest;

    use super::*;

    fn schedule(text: &str) -> Vec<Schedule> {
        let each = text.split(';').map(|text| {
            let (start, end) = text.split_once('/').expect("a start and an end");
            let [start, end] = [start, end].map(|it| Moments::parse(it).expect("moments"));
            Schedule::new(start, end, Zone::parse("UTC").expect("a zone")).expect("a schedule")
        });
        each.collect()
    }

    const WEEKENDS: &str = "0 0 * * 6/59 23 * * 0";
    const NIGHTS: &str = "0 1 * * 2-4/0 4 * * 2-4";

    #[rstest]
    #[case::several_windows_of_one_policy(&[WEEKENDS], false)]
    #[case::at_the_same_time(&[WEEKENDS, "0 22 * * */0 4 * * *"], false)]
    #[case::on_other_days(&[WEEKENDS, NIGHTS], true)]
    #[case::other_days_with_a_second_window(&[WEEKENDS, "0 1 * * 2/0 4 * * 2;0 1 * * 6/0 4 * * 6"], false)]
    #[case::adjacent_windows(&["0 1 * * */0 2 * * *", "0 2 * * */0 3 * * *"], true)]
    #[case::once_a_year(&["0 0 1 1 */0 0 2 1 *", "0 12 1 1 */0 13 1 1 *"], false)]
    #[case::in_other_months(&["0 0 1 1 */0 0 2 1 *", "0 0 1 7 */0 0 2 7 *"], true)]
    #[case::of_three_in_pairs(
        &["0 0 * * */0 2 * * *", "0 1 * * */0 4 * * *", "0 3 * * */0 5 * * *"],
        true
    )]
    fn finds_windows_that_overlap(#[case] texts: &[&str], #[case] never: bool) {
        let schedules: Vec<_> = texts.iter().map(|text| schedule(text)).collect();
        let limit = |schedules| TimeLimit {
            binding: "b",
            policy: "p",
            schedules,
        };
        let limits: Vec<_> = schedules.iter().map(|it| limit(it)).collect();
        let from = "2026-10-19T07:42:10Z".parse().expect("a time");
        assert_eq!(never_overlap(&limits, from), never);
    }
}
