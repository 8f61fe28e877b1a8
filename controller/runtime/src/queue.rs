//! The queue of one kind. It contains the objects to reconcile, their due times, and the backoff
//! after a failure or a conflict. A backoff is the maximum time until a retry. If an object changes
//! during the backoff, it is due immediately, within the rate limit. Only a hold, which waits for
//! the cache, delays it further.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use portolan_world::Key;

/// The backoff after the first failure. It doubles with each consecutive failure. A failure counts
/// only if its attempt started after the end of the previous backoff. Attempts that a change has
/// started earlier do not count.
const FIRST: Duration = Duration::from_secs(1);
/// The longest backoff.
const LONGEST: Duration = Duration::from_secs(5 * 60);
/// The minimum average time between two reconciliations of an object. It limits the rate if another
/// client reverts each change immediately.
const PACE: Duration = Duration::from_millis(200);
/// The number of reconciliations of one object that may follow each other without a pause. After
/// that, one reconciliation is permitted in each [`PACE`].
const BURST: u32 = 20;

/// The objects to reconcile. An object is in the queue only once, even if it was added several
/// times. It is never reconciled twice at the same time.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    entries: BTreeMap<Key, Entry>,
    /// The objects with their due times, earliest first.
    order: BTreeSet<(Instant, Key)>,
}

/// An object in the queue.
#[derive(Debug, Default)]
struct Entry {
    /// The time at which the object is due. None if the object does not have to be reconciled.
    due: Option<Instant>,
    /// The earliest time of the next reconciliation. It is set while the cache does not contain the
    /// last writes.
    held: Option<Instant>,
    /// The time at which the last reconciliation started.
    begun: Option<Instant>,
    /// The time after which past reconciliations no longer count for the rate limit.
    paced: Option<Instant>,
    is_running: bool,
    /// The number of consecutive failures. Each of these attempts started after the previous
    /// backoff.
    failures: u32,
    /// The end of the backoff after the last failure.
    retry_at: Option<Instant>,
}

/// The result of one reconciliation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReconcileEnd {
    pub(crate) now: Instant,
    /// True if the reconciliation failed or had a conflict. The object is reconciled again after a
    /// backoff.
    pub(crate) backs_off: bool,
    /// The time at which the object is due again, unless a change makes it due earlier.
    pub(crate) requeue_at: Option<Instant>,
    /// True if the reconciliation does not count toward the rate limit of the object.
    pub(crate) is_bounded: bool,
}

impl Queue {
    /// Makes an object due now. If the object is being reconciled, it is reconciled again after
    /// that.
    pub(crate) fn touch(&mut self, key: &Key, now: Instant) {
        self.change(key, |entry| entry.want(now));
    }

    /// Delays an object until this time, or until it is [released](Self::release).
    pub(crate) fn hold(&mut self, key: &Key, until: Instant) {
        self.change(key, |entry| entry.held = Some(until));
    }

    /// Ends the delay of an object, because the cache contains the writes of its last
    /// reconciliation.
    pub(crate) fn release(&mut self, key: &Key) {
        self.change(key, |entry| entry.held = None);
    }

    /// Returns the next object that is due. The same object is returned again only after its
    /// reconciliation has [ended](Self::end).
    pub(crate) fn next(&mut self, now: Instant) -> Option<Key> {
        let (time, key) = self.order.first()?;
        if *time > now {
            return None;
        }
        let key = key.clone();
        self.change(&key, |entry| {
            entry.is_running = true;
            entry.due = None;
            entry.begin(now);
        });
        Some(key)
    }

    /// Records the end of a reconciliation. The object is due again at the requested time, and
    /// always after a failure.
    pub(crate) fn end(&mut self, key: &Key, ended: ReconcileEnd) {
        self.change(key, |entry| {
            entry.is_running = false;
            if ended.is_bounded {
                entry.paced = entry.paced.and_then(|paced| paced.checked_sub(PACE));
            }
            if ended.backs_off {
                entry.fail(ended.now);
            } else {
                (entry.failures, entry.retry_at) = (0, None);
            }
            let due = ended.requeue_at.into_iter().chain(entry.retry_at);
            due.for_each(|at| entry.want(at));
        });
    }

    /// Drops an object that no longer exists.
    pub(crate) fn forget(&mut self, key: &Key) {
        self.change(key, |entry| *entry = Entry::default());
        self.entries.remove(key);
    }

    /// Returns the time when the next object is due. Returns None if no object is queued.
    pub(crate) fn wake(&self) -> Option<Instant> {
        self.order.first().map(|(time, _)| *time)
    }

    fn change(&mut self, key: &Key, change: impl FnOnce(&mut Entry)) {
        let entry = self.entries.entry(key.clone()).or_default();
        if let Some(time) = entry.time() {
            self.order.remove(&(time, key.clone()));
        }
        change(entry);
        if let Some(time) = entry.time() {
            self.order.insert((time, key.clone()));
        }
    }
}

impl Entry {
    fn begin(&mut self, now: Instant) {
        self.begun = Some(now);
        self.paced = Some(self.paced.map_or(now, |paced| paced.max(now)) + PACE);
    }

    fn fail(&mut self, now: Instant) {
        let is_rested = self
            .retry_at
            .is_none_or(|retry_at| self.begun >= Some(retry_at));
        if is_rested {
            self.failures = self.failures.saturating_add(1);
            self.retry_at = Some(now + backoff(self.failures));
        }
    }

    fn want(&mut self, at: Instant) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// Returns the time at which the object can be reconciled. Returns None while it is being
    /// reconciled, and if it is not due.
    fn time(&self) -> Option<Instant> {
        let due = self.due.filter(|_| !self.is_running)?;
        let paced = self.paced;
        let paced = paced.and_then(|paced| paced.checked_sub(PACE * (BURST - 1)));
        Some(
            [self.held, paced]
                .into_iter()
                .flatten()
                .fold(due, Instant::max),
        )
    }
}

/// Returns the backoff after this number of consecutive failures.
fn backoff(failures: u32) -> Duration {
    let doubled = 1_u32.checked_shl(failures.saturating_sub(1));
    let rest = doubled.map_or(LONGEST, |times| FIRST.saturating_mul(times));
    rest.min(LONGEST)
}
