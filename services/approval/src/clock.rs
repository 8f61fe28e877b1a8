//! The time for which reviews are computed.

use jiff::Timestamp;
use tokio::time::Instant;

/// The source of the time for which reviews are computed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Clock {
    /// Uses the system clock.
    Now,
    /// Always uses this time.
    At(Timestamp),
    /// Starts with this time at this instant. The time then advances with the timers of the
    /// process, which tests control.
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

    /// Returns the instant at which this time is reached, for timers.
    pub(crate) fn moment(self, at: Timestamp) -> Instant {
        let wait = at.duration_since(self.now());
        Instant::now() + wait.try_into().unwrap_or_default()
    }
}
