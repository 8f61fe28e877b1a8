//! A clock that never goes back, and that continues while the process is stopped and while the
//! machine sleeps.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A clock that includes the time in which the machine sleeps. `std::time::Instant` does not
/// include it.
#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = ClockId::Monotonic;

/// A time on this machine, measured from its start.
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

    /// Returns the time from another moment to this moment; zero if this moment is earlier.
    pub(super) fn since(self, other: Self) -> Duration {
        self.0.saturating_sub(other.0)
    }

    pub(super) fn as_nanos(self) -> u64 {
        u64::try_from(self.0.as_nanos()).unwrap_or(u64::MAX)
    }
}
