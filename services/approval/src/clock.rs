//! The time for which results are computed.

use jiff::Timestamp;
use tokio::time::Instant;

/// The source of the time for which results are computed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Clock {
    /// Uses the system clock.
    Now,
    /// Always this.
    At(Timestamp),
    /// This time at that instant. From then on, the time advances with the timers of the process.
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
