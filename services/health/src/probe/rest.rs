//! The pauses before an unhealthy registry is probed again.

use std::time::{Duration, Instant};

use super::Pace;

/// The time in which a failure counts as new, so that pauses are short. An administrator who
/// restarts a registry wants to see the result soon.
const YOUNG: Duration = Duration::from_secs(60);

/// The minimum duration of a normal connection. The loss of such a connection is not a failure,
/// because proxies close idle connections.
const STEADY: Duration = Duration::from_secs(10);

/// Computes the pauses between the probes of one registry.
#[derive(Debug)]
pub(super) struct Rests {
    pace: Pace,
    trouble: Option<Trouble>,
}

/// A series of failures.
#[derive(Debug)]
struct Trouble {
    since: Instant,
    last: Duration,
}

// === impl Rests ===

impl Rests {
    pub(super) fn new(pace: Pace) -> Self {
        Self {
            pace,
            trouble: None,
        }
    }

    /// Resets the pauses after a connection has lasted long enough.
    pub(super) fn forget(&mut self) {
        self.trouble = None;
    }

    /// Returns the pause after a probe that has failed.
    pub(super) fn after_failure(&mut self, now: Instant) -> Duration {
        let last = self.trouble.as_ref().map(|trouble| trouble.last);
        let since = self.trouble.as_ref().map_or(now, |trouble| trouble.since);
        let last = rest(&self.pace, now - since, last.unwrap_or_default());
        self.trouble = Some(Trouble { since, last });
        last
    }

    /// Returns the pause after the connection to a healthy registry was lost. There is no pause
    /// after the first loss, because the registry was probably restarted.
    pub(super) fn after_loss(&mut self, opened: Instant, now: Instant) -> Duration {
        if now - opened >= STEADY {
            self.forget();
        }
        if self.trouble.is_some() {
            return self.after_failure(now).min(self.pace.short_rest);
        }
        let last = Duration::ZERO;
        self.trouble = Some(Trouble { since: now, last });
        last
    }
}

/// Returns the duration, changed by up to a tenth. `random` determines the change. Therefore
/// clients that have lost the same registry do not all return at the same time.
pub(super) fn about(duration: Duration, random: u64) -> Duration {
    // A fraction between 0 and 1, from the upper half of the random bits.
    let share = (random >> 32) as f64 / f64::from(u32::MAX);
    duration.mul_f64(0.9 + 0.2 * share)
}

/// Returns the pause that follows the pause `last`. `age` is the time since the first failure.
fn rest(pace: &Pace, age: Duration, last: Duration) -> Duration {
    let longest = if age < YOUNG {
        pace.short_rest.min(pace.longest_rest)
    } else {
        pace.longest_rest
    };
    (last * 2).max(pace.first_rest).min(longest)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::the_first(0, 0, 500)]
    #[case::the_second_is_twice_as_long(1, 500, 1000)]
    #[case::the_last_that_doubles_early(3, 2000, 4000)]
    #[case::no_more_than_five_seconds_early(7, 4000, 5000)]
    #[case::and_so_on_for_a_minute(59, 5000, 5000)]
    #[case::after_a_minute_it_doubles_again(60, 5000, 10_000)]
    #[case::further(90, 20_000, 40_000)]
    #[case::up_to_the_longest(120, 40_000, 60_000)]
    #[case::and_no_further(86_400, 60_000, 60_000)]
    fn probe_pauses_grow(#[case] age: u64, #[case] last: u64, #[case] expected: u64) {
        let rest = rest(
            &Pace::default(),
            Duration::from_secs(age),
            Duration::from_millis(last),
        );
        assert_eq!(rest, Duration::from_millis(expected));
    }

    #[test]
    fn maximum_pause_limits_the_first_pause() {
        let pace = Pace {
            longest_rest: Duration::from_millis(20),
            ..Pace::default()
        };
        let rest = rest(&pace, Duration::ZERO, Duration::ZERO);
        assert_eq!(rest, pace.longest_rest);
    }

    #[test]
    fn only_short_lived_connections_are_reopened_with_a_delay() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut rests = Rests::new(Pace::default());
        let mut after = |opened, lost| rests.after_loss(at(opened), at(lost)).as_millis();
        assert_eq!(after(0, 600), 0, "it lasted");
        assert_eq!(after(600, 601), 500, "the one before was lost just now");
        assert_eq!(after(602, 603), 1000, "and again");
        assert_eq!(after(604, 614), 0, "it lasted");
    }

    #[test]
    fn only_a_long_lived_connection_resets_the_backoff() {
        let now = Instant::now();
        let mut rests = Rests::new(Pace::default());
        assert_eq!(rests.after_failure(now).as_millis(), 500);
        assert_eq!(rests.after_loss(now, now).as_millis(), 1000);
        assert_eq!(rests.after_failure(now).as_millis(), 2000);
        rests.forget();
        assert_eq!(rests.after_failure(now).as_millis(), 500);
    }

    #[test]
    fn lost_connection_after_an_old_response_is_retried_soon() {
        let begin = Instant::now();
        let mut rests = Rests::new(Pace::default());
        for minute in 0..10 {
            rests.after_failure(begin + Duration::from_secs(60 * minute));
        }
        let late = begin + Duration::from_secs(600);
        assert_eq!(rests.after_failure(late).as_secs(), 60);
        assert_eq!(rests.after_loss(late, late).as_secs(), 5);
    }

    #[rstest]
    #[case::the_shortest(0, 900)]
    #[case::the_longest(u64::MAX, 1100)]
    fn random_pause_differs_by_at_most_ten_percent(#[case] random: u64, #[case] expected: u64) {
        let chosen = about(Duration::from_secs(1), random);
        assert_eq!(chosen, Duration::from_millis(expected));
    }
}
