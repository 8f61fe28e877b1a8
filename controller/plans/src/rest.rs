//! The rate limit for checks of a plan that needs no work.

use std::time::Duration;

use tokio::time::Instant;

/// The minimum average time between two checks.
const REST: Duration = Duration::from_secs(5);
/// The number of checks that may follow each other without a pause. After that, one check is
/// permitted in each [`REST`].
const BURST: u32 = 8;

/// Limits the checks of a plan that find no work. The first checks after a change are immediate, so
/// that a user who edits objects does not have to wait. An object that changes continuously is
/// checked less often.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// The time after which earlier checks no longer count.
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

    /// Counts a check at this time. A check that comes too early delays the next permitted check by
    /// at most [`REST`].
    pub(crate) fn look(&mut self, now: Instant) {
        let until = self.until.map_or(now, |until| until.max(now));
        self.until = Some((until + REST).min(now + REST * BURST));
    }

    /// Does not count the last check, because it has sent no request or has written an object. The
    /// rate of repairs has a separate limit.
    pub(crate) fn give_back(&mut self) {
        self.until = self.until.and_then(|until| until.checked_sub(REST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_checks_are_immediate_and_later_checks_are_limited() {
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
    fn restored_check_causes_no_delay() {
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
    fn frequently_checked_plan_waits_no_longer_than_other_plans() {
        let now = Instant::now();
        let mut rest = Rest::default();
        for _ in 0..100 {
            rest.look(now);
        }
        assert_eq!(rest.later(now), Some(now + REST));
    }

    #[test]
    fn long_idle_plan_is_limited_to_one_burst_of_checks() {
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
