//! A clock that never goes back, and that advances while the process is stopped and while the
//! machine sleeps.

use std::time::Duration;

use portolan_shell::platform;

/// A point in time, measured from the start of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(Duration);

impl Moment {
    pub(super) fn now() -> Self {
        Self(platform::monotonic())
    }

    pub(super) fn of(since_start: Duration) -> Self {
        Self(since_start)
    }

    pub(super) fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }

    /// Returns the time from another moment to this moment. Returns zero if the other moment is
    /// later.
    pub(super) fn since(self, other: Self) -> Duration {
        self.0.saturating_sub(other.0)
    }

    pub(super) fn as_nanos(self) -> u64 {
        u64::try_from(self.0.as_nanos()).unwrap_or(u64::MAX)
    }
}
