//! Which policies are to be looked at, and when.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use portolan_world::Key;

/// How long a policy rests after its first failure in a row; twice as long after each further one
/// that comes when its rest is over. Changes that come before then find it failing just as often.
const FIRST: Duration = Duration::from_secs(1);
/// How long it rests at most.
const LONGEST: Duration = Duration::from_secs(5 * 60);
/// The least time from one look at a policy to the next: what somebody else undoes at once is not
/// redone as fast as a machine can.
const PACE: Duration = Duration::from_millis(200);

/// Which policies are to be looked at, each once however often that was said, and never while
/// somebody looks at it.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    tickets: BTreeMap<Key, Ticket>,
    /// Those that wait for their time, the first of them first.
    order: BTreeSet<(Instant, Key)>,
}

/// How it is with one policy.
#[derive(Debug, Default)]
struct Ticket {
    /// When it is to be looked at; None if there is no reason to.
    due: Option<Instant>,
    /// Not before that, whatever comes.
    held: Option<Instant>,
    /// When somebody began to look at it last.
    begun: Option<Instant>,
    is_running: bool,
    /// Failures in a row, each after the rest of the one before it.
    failures: u32,
    /// When the rest after the last of them is over.
    rested: Option<Instant>,
}

impl Queue {
    /// A policy is to be looked at, now or once nobody does.
    pub(crate) fn touch(&mut self, key: &Key, now: Instant) {
        self.change(key, |ticket| ticket.want(now));
    }

    /// A policy is not looked at before that, or before it is [released](Self::release).
    pub(crate) fn hold(&mut self, key: &Key, until: Instant) {
        self.change(key, |ticket| ticket.held = Some(until));
    }

    /// What a policy was held for has come.
    pub(crate) fn release(&mut self, key: &Key) {
        self.change(key, |ticket| ticket.held = None);
    }

    /// The next policy whose time has come. It is not named again before it has
    /// [ended](Self::end).
    pub(crate) fn next(&mut self, now: Instant) -> Option<Key> {
        let (time, key) = self.order.first()?;
        if *time > now {
            return None;
        }
        let key = key.clone();
        self.change(&key, |ticket| {
            ticket.is_running = true;
            ticket.due = None;
            ticket.begun = Some(now);
        });
        Some(key)
    }

    /// Somebody has looked at a policy. It is looked at again at a time, if there is one, and after
    /// a failure in any case.
    pub(crate) fn end(
        &mut self,
        key: &Key,
        (now, has_failed): (Instant, bool),
        again: Option<Instant>,
    ) {
        self.change(key, |ticket| {
            ticket.is_running = false;
            match has_failed {
                true => ticket.fail(now),
                false => (ticket.failures, ticket.rested) = (0, None),
            }
            let rested = ticket.rested;
            again
                .into_iter()
                .chain(rested)
                .for_each(|at| ticket.want(at));
        });
    }

    /// A policy is gone.
    pub(crate) fn forget(&mut self, key: &Key) {
        self.change(key, |ticket| *ticket = Ticket::default());
        self.tickets.remove(key);
    }

    /// When the next policy is to be looked at, if any is.
    pub(crate) fn wake(&self) -> Option<Instant> {
        self.order.first().map(|(time, _)| *time)
    }

    fn change(&mut self, key: &Key, change: impl FnOnce(&mut Ticket)) {
        let ticket = self.tickets.entry(key.clone()).or_default();
        if let Some(time) = ticket.time() {
            self.order.remove(&(time, key.clone()));
        }
        change(ticket);
        if let Some(time) = ticket.time() {
            self.order.insert((time, key.clone()));
        }
    }
}

impl Ticket {
    fn fail(&mut self, now: Instant) {
        let is_rested = self.rested.is_none_or(|rested| self.begun >= Some(rested));
        if is_rested {
            self.failures = self.failures.saturating_add(1);
            self.rested = Some(now + rest(self.failures));
        }
    }

    fn want(&mut self, at: Instant) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// When it is to be looked at, all in all; None if somebody does, or there is no reason to.
    fn time(&self) -> Option<Instant> {
        let due = self.due.filter(|_| !self.is_running)?;
        let paced = self.begun.map(|begun| begun + PACE);
        Some(
            [self.held, paced]
                .into_iter()
                .flatten()
                .fold(due, Instant::max),
        )
    }
}

/// How long a policy rests after so many failures in a row.
fn rest(failures: u32) -> Duration {
    let doubled = 1_u32.checked_shl(failures.saturating_sub(1));
    let rest = doubled.map_or(LONGEST, |times| FIRST.saturating_mul(times));
    rest.min(LONGEST)
}
