//! The rate limit for checks of a plan at rest.

use std::time::Duration;

use tokio::time::Instant;

/// The minimum average time between checks.
const REST: Duration = Duration::from_secs(5);
/// The number of checks that may follow each other without a pause. After that, one check is
/// permitted in each [`REST`].
const BURST: u32 = 8;

/// The checks of a plan that found no work. The first checks after a change happen at once, so that
/// a user who edits objects by hand does not wait. An object that changes continuously is checked
/// less often.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// The time from which past checks no longer count.
    until: Option<Instant>,
}

// === impl Rest ===

impl Rest {
    /// Returns the time of the next permitted check. Returns None if a check is permitted now.
    pub(crate) fn later(&self, now: Instant) -> Option<Instant> {
        let wait = self.until?.checked_duration_since(now)?;
        let wait = wait.checked_sub(REST * (BURST - 1))?;
        (!wait.is_zero()).then(|| now + wait)
    }

    /// Counts a check at this time. A check that was made early, because there was work, delays the
    /// next check by at most [`REST`].
    pub(crate) fn look(&mut self, now: Instant) {
        let until = self.until.map_or(now, |until| until.max(now));
        self.until = Some((until + REST).min(now + REST * BURST));
    }

    /// Does not count the last check, because it sent no request or wrote an object. The number of
    /// repairs is limited elsewhere.
    pub(crate) fn give_back(&mut self) {
        self.until = self.until.and_then(|until| until.checked_sub(REST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_looks_are_at_once_and_the_rest_one_by_one() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut rest = Rest::default();
        let mut looks = Vec::new();
        for second in 0..=30 {
            while rest.later(at(second)).is_none() {
                rest.look(at(second));
                looks.push(second);
            }
        }
        assert_eq!(looks, [0, 0, 0, 0, 0, 0, 0, 0, 5, 10, 15, 20, 25, 30]);
        assert_eq!(rest.later(at(32)), Some(at(35)));
        assert_eq!(rest.later(at(35)), None);
    }

    #[test]
    fn what_is_given_back_is_not_waited_for() {
        let now = Instant::now();
        let mut rest = Rest::default();
        for _ in 0..100 {
            assert_eq!(rest.later(now), None);
            rest.look(now);
            rest.give_back();
        }
        for _ in 0..BURST {
            assert_eq!(rest.later(now), None);
            rest.look(now);
        }
        assert_eq!(rest.later(now), Some(now + REST));
    }

    #[test]
    fn a_plan_that_was_looked_at_often_waits_no_longer_than_others() {
        let now = Instant::now();
        let mut rest = Rest::default();
        for _ in 0..100 {
            rest.look(now);
        }
        assert_eq!(rest.later(now), Some(now + REST));
    }

    #[test]
    fn who_has_rested_for_long_has_no_more_looks_than_others() {
        let begun = Instant::now();
        let late = begun + Duration::from_secs(3_600);
        let mut rest = Rest::default();
        rest.look(begun);
        for _ in 0..BURST {
            assert_eq!(rest.later(late), None);
            rest.look(late);
        }
        assert_eq!(rest.later(late), Some(late + REST));
    }
}
