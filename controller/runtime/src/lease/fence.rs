//! The fence. It prevents a process from writing when the process is no longer the leader.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::sleep;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::clock::Moment;

#[cfg(test)]
mod tests;

/// The value for a permission without an end.
const NEVER: u64 = u64::MAX;
/// The maximum interval between two checks of the fence during a write. Timers are late after a
/// machine has slept.
const LOOK: Duration = Duration::from_secs(1);

/// Permits writes until a point in time. Each renewal of the Lease postpones this point.
#[derive(Debug, Clone)]
pub struct Fence(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The end of the permission, in nanoseconds of [`Moment`]. Zero before the first permission
    /// and after its end.
    until: AtomicU64,
    /// True if no more writes may start.
    is_shut: AtomicBool,
    running: TaskTracker,
}

/// The permission for one write. It is held until the write has ended.
#[derive(Debug)]
pub struct Pass {
    _running: TaskTrackerToken,
}

impl Fence {
    /// Returns a fence that permits all writes, for a process that is the only replica.
    pub fn open() -> Self {
        Self::until(NEVER)
    }

    /// Returns a fence that permits no writes yet.
    pub(super) fn closed() -> Self {
        Self::until(0)
    }

    fn until(nanos: u64) -> Self {
        let running = TaskTracker::new();
        running.close();
        Self(Arc::new(Inner {
            until: AtomicU64::new(nanos),
            is_shut: AtomicBool::new(false),
            running,
        }))
    }

    /// Returns true if a write may start now.
    pub fn permits(&self) -> bool {
        !self.0.is_shut.load(Ordering::SeqCst) && !self.left().is_zero()
    }

    /// Returns the permission for a write that starts now. Returns None if writes are not
    /// permitted.
    pub fn pass(&self) -> Option<Pass> {
        // The write is counted before the permission is checked. Therefore code that closes the
        // fence and then waits cannot miss a write.
        let running = self.0.running.token();
        self.permits().then_some(Pass { _running: running })
    }

    /// Waits until the permission has ended, so that even running writes must stop.
    pub async fn fallen(&self) {
        loop {
            match self.left() {
                Duration::ZERO => return,
                left => sleep(left.min(LOOK)).await,
            }
        }
    }

    /// Returns true if running writes must stop. This is the case if the permission has ended, or
    /// if the fence was closed before it has permitted any writes.
    pub(super) fn has_fallen(&self) -> bool {
        match self.0.until.load(Ordering::SeqCst) {
            0 => self.0.is_shut.load(Ordering::SeqCst),
            _ => self.left().is_zero(),
        }
    }

    pub(super) fn put_off(&self, until: Moment) {
        self.0.until.store(until.as_nanos(), Ordering::SeqCst);
    }

    /// Ends the permission immediately. Running writes must stop, too.
    pub(super) fn fall(&self) {
        self.shut();
        self.0.until.store(0, Ordering::SeqCst);
    }

    /// Prevents new writes. Running writes can finish.
    pub fn shut(&self) {
        self.0.is_shut.store(true, Ordering::SeqCst);
    }

    /// Waits until no write is running.
    pub(super) async fn quiet(&self) {
        self.0.running.wait().await;
    }

    /// Returns the time for which running writes may continue.
    fn left(&self) -> Duration {
        let until = match self.0.until.load(Ordering::SeqCst) {
            NEVER => return Duration::MAX,
            nanos => Moment::of(Duration::from_nanos(nanos)),
        };
        until.since(Moment::now())
    }
}
