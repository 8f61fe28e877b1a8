//! The time that answers are about.

use jiff::Timestamp;
use tokio::time::Instant;

/// The source of the time that answers are about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Clock {
    /// Uses the system clock.
    Now,
    /// Always this.
    At(Timestamp),
    /// This at that moment, and from there on as the timers of the process go.
    #[cfg(test)]
    Since(Timestamp, Instant),
}

impl Clock {
    pub(crate) fn now(self) -> Timestamp {
        match self {
            Self::Now => Timestamp::now(),
            Self::At(at) => at,
            #[cfg(test)]
            Self::Since(at, then) => at + Instant::now().duration_since(then),
        }
    }

    /// Converts a time to an instant for timers.
    pub(crate) fn moment(self, at: Timestamp) -> Instant {
        let wait = at.duration_since(self.now());
        Instant::now() + wait.try_into().unwrap_or_default()
    }
}
