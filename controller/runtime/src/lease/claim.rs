//! The rules of leader election, as pure functions without a clock or a cluster.

use std::time::Duration;

use super::clock::Moment;

#[cfg(test)]
mod tests;

/// The time limits of an election.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// The time after which other processes may take over a Lease that has not changed.
    pub duration: Duration,
    /// The time for which the holder may write after it sent a successful renewal.
    pub deadline: Duration,
    /// The time between two renewals.
    pub pace: Duration,
    /// The pause after a failed request, and the pause between two reads of a Lease that another
    /// process holds.
    pub retry: Duration,
}

/// The fields of a Lease that the rules need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// The identity of the holder. None if the Lease is free.
    pub(super) holder: Option<String>,
    /// The time for which the Lease is valid without a renewal. None if the field is not set.
    pub(super) duration: Option<Duration>,
    /// The resource version.
    pub(super) version: String,
}

/// The state of one process in an election.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeaseClaim {
    identity: String,
    terms: Terms,
    /// The Lease that was read last. None if it was not read yet, or if it has changed since then.
    view: Option<LeaseRead>,
    /// The version that was read last, and the time at which this version was first read.
    version: Option<(String, Moment)>,
    /// The time at which the last successful renewal was sent. None if this process does not hold
    /// the Lease.
    held: Option<Moment>,
    /// The time of the last attempt, if it has failed. None if it has succeeded.
    failed: Option<Moment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct LeaseRead {
    /// The content of the Lease. None if there is no Lease.
    record: Option<Record>,
    /// The time of the read.
    looked: Moment,
}

/// The next action of the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// Read the Lease.
    Look,
    /// Write this process into the Lease that was read. If no Lease exists, create it.
    Acquire,
    /// Renew the Lease in the state that was read.
    Renew,
    /// Do nothing until this time.
    Wait(Moment),
    /// Stop, because leadership is lost for this reason.
    Lose(String),
}

// === impl Terms ===

impl Default for Terms {
    fn default() -> Self {
        Self {
            duration: Duration::from_secs(15),
            deadline: Duration::from_secs(10),
            pace: Duration::from_secs(5),
            retry: Duration::from_secs(2),
        }
    }
}

// === impl LeaseClaim ===

impl LeaseClaim {
    pub(super) fn new(identity: &str, terms: Terms) -> Self {
        Self {
            identity: identity.to_owned(),
            terms,
            view: None,
            version: None,
            held: None,
            failed: None,
        }
    }

    pub(super) fn next(&self, now: Moment) -> Act {
        if let Some(lost) = self.lost(now) {
            return Act::Lose(lost);
        }
        let again = self.failed.map(|failed| failed.plus(self.terms.retry));
        match (again.filter(|again| now < *again), &self.view, self.held) {
            (Some(again), _, None) => Act::Wait(again),
            (Some(again), _, Some(sent)) => Act::Wait(again.min(self.end(sent))),
            (None, None, _) => Act::Look,
            (None, Some(_), Some(sent)) => match sent.plus(self.terms.pace) {
                due if now < due => Act::Wait(due),
                _ => Act::Renew,
            },
            (None, Some(view), None) => self.as_candidate(view, now),
        }
    }

    /// Returns the timeout of the next request. After this timeout, there is still enough time for
    /// another request before the deadline.
    pub(super) fn patience(&self, now: Moment) -> Duration {
        let left = match self.held {
            Some(sent) => self.end(sent).since(now),
            None => self.terms.deadline,
        };
        (left / 2).max(self.terms.deadline / 10)
    }

    /// Returns the time until which writes are permitted. Returns None if this process does not
    /// hold the Lease.
    pub(super) fn until(&self) -> Option<Moment> {
        self.held.map(|sent| self.end(sent))
    }

    /// Records the result of reading the Lease.
    pub(super) fn saw(&mut self, record: Option<Record>, now: Moment) {
        let version = record.as_ref().map(|record| &record.version);
        let is_new = self.version.as_ref().map(|(version, _)| version) != version;
        if is_new {
            self.version = version.map(|version| (version.clone(), now));
        }
        self.failed = None;
        self.view = Some(LeaseRead {
            record,
            looked: now,
        });
    }

    /// Records that this process has become the holder of the Lease or has renewed it. `sent` is
    /// the time at which the request was sent.
    pub(super) fn wrote(&mut self, record: Record, sent: Moment, now: Moment) {
        self.saw(Some(record), now);
        self.held = Some(sent);
    }

    /// Drops the Lease that was read last, because it has changed since then.
    pub(super) fn outdated(&mut self) {
        self.view = None;
    }

    /// Records that a request has failed, or that its outcome is unknown.
    pub(super) fn failed(&mut self, now: Moment) {
        self.failed = Some(now);
    }

    fn end(&self, sent: Moment) -> Moment {
        sent.plus(self.terms.deadline)
    }

    fn lost(&self, now: Moment) -> Option<String> {
        if now >= self.until()? {
            let seconds = self.terms.deadline.as_secs_f32();
            return Some(format!("it could not renew its Lease for {seconds} s"));
        }
        let record = self.view.as_ref().map(|view| view.record.as_ref())?;
        let holder = record.map(|record| record.holder.as_deref());
        match holder {
            None => Some("its Lease was deleted".to_owned()),
            Some(None) => Some("its Lease was released by another client".to_owned()),
            Some(Some(holder)) if holder == self.identity => None,
            Some(Some(holder)) => Some(format!("{holder} holds the Lease")),
        }
    }

    fn as_candidate(&self, view: &LeaseRead, now: Moment) -> Act {
        let Some(record) = &view.record else {
            return Act::Acquire;
        };
        match &record.holder {
            None => Act::Acquire,
            // An earlier request of this process has succeeded, but its response was lost.
            Some(holder) if *holder == self.identity => Act::Acquire,
            Some(_) => self.while_held(record, view.looked, now),
        }
    }

    /// Returns the next action while another process holds the Lease. The Lease expires if it does
    /// not change for its whole duration.
    fn while_held(&self, record: &Record, looked: Moment, now: Moment) -> Act {
        let duration = record.duration.unwrap_or(self.terms.duration);
        let since = self.version.as_ref().map_or(looked, |(_, since)| *since);
        let expiry = since.plus(duration);
        let again = looked.plus(self.terms.retry);
        match () {
            () if now >= expiry => Act::Acquire,
            () if now >= again => Act::Look,
            () => Act::Wait(again.min(expiry)),
        }
    }
}
