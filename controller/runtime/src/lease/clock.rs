//! A clock that never goes back, and that advances while the process is stopped and the machine
//! sleeps.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Counts the sleep of the machine, which the clock of `std::time::Instant` leaves out.
#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = ClockId::Monotonic;

/// A moment of this machine, since it was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(Duration);

impl Moment {
    pub(super) fn now() -> Self {
        let time = clock_gettime(CLOCK);
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
        Self(Duration::new(seconds, nanos))
    }

    pub(super) fn of(since_start: Duration) -> Self {
        Self(since_start)
    }

    pub(super) fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }

    /// Returns the time from another moment to this one; zero if this is the earlier one.
    pub(super) fn since(self, other: Self) -> Duration {
        self.0.saturating_sub(other.0)
    }

    pub(super) fn as_nanos(self) -> u64 {
        u64::try_from(self.0.as_nanos()).unwrap_or(u64::MAX)
    }
}
