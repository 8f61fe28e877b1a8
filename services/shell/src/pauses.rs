//! The pauses before retries. The pauses are random, so that clients do not all retry at the same
//! time.

use std::time::Duration;

/// Pauses that double each time, up to the maximum.
#[derive(Debug, Clone)]
pub(crate) struct Pauses {
    first: Duration,
    next: Duration,
    longest: Duration,
}

/// Returns the duration with a random deviation of up to a tenth.
pub(crate) fn about(duration: Duration) -> Duration {
    duration.mul_f64(0.9 + 0.2 * fastrand::f64())
}

// === impl Pauses ===

impl Pauses {
    pub(crate) fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            next: first,
            longest,
        }
    }

    /// Resets the pause to the first duration after a success.
    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }

    /// Returns a random pause, at least half of the current pause and at most the whole pause.
    pub(crate) fn pause(&mut self) -> Duration {
        let pause = self.next.mul_f64(0.5 + 0.5 * fastrand::f64());
        self.next = (self.next * 2).min(self.longest);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn random_pause_differs_by_at_most_ten_percent() {
        for _ in 0..1000 {
            let chosen = about(SECOND);
            assert!(chosen >= SECOND * 9 / 10 && chosen <= SECOND * 11 / 10);
        }
    }

    #[test]
    fn pauses_double_up_to_the_longest_and_begin_again() {
        let mut pauses = Pauses::new(SECOND, SECOND * 5);
        for whole in [1, 2, 4, 5, 5] {
            let pause = pauses.pause();
            assert!(pause >= SECOND * whole / 2 && pause <= SECOND * whole);
        }
        pauses.reset();
        assert!(pauses.pause() <= SECOND);
    }
}
