//! The task that probes one registry.

use std::mem;
use std::time::Instant;

use jiff::Timestamp;
use portolan_core_health::Probe;
use portolan_world::registry::{Address, Connection, Dialer};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::ledger::ProbeLedger;
use super::question;
use super::rest::{Rests, about};
use super::{Pace, Probed, Probes};

/// Probes one registry repeatedly, until the task is aborted.
#[derive(Debug)]
pub(super) struct Prober {
    address: Address,
    pace: Pace,
    dialer: Dialer,
    rests: Rests,
    /// The open connection. None before the first connection and after a failure. After a failure,
    /// a new connection is opened, for two reasons. A registry that hangs may keep its connection
    /// open forever. A new connection may reach a healthy replica.
    open: Option<Open>,
    probed: Probed,
    all: watch::Sender<ProbeLedger>,
}

/// A connection, with the time at which it was opened.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) connection: Connection,
    since: Instant,
    at: Timestamp,
}

// === impl Prober ===

impl Prober {
    pub(super) fn new(address: Address, probes: &Probes) -> Self {
        Self {
            probed: Probed::pending(&address),
            address,
            pace: probes.pace,
            dialer: probes.dialer.clone(),
            rests: Rests::new(probes.pace),
            open: None,
            all: probes.all.clone(),
        }
    }

    pub(super) async fn run(mut self) {
        loop {
            let probe = self.ask().await;
            self.note(probe, Timestamp::now());
            self.all
                .send_if_modified(|all| all.note(&self.address, &self.probed));
            self.wait().await;
        }
    }

    async fn ask(&mut self) -> Probe {
        let open = self.open.take().filter(|open| !open.connection.is_lost());
        match question::ask((&self.address, &self.dialer), open, self.pace.answer).await {
            Ok((open, packages)) => {
                self.open = Some(open);
                Probe::Answered { packages }
            }
            Err(probe) => probe,
        }
    }

    fn note(&mut self, probe: Probe, now: Timestamp) {
        let Probed {
            probe: last,
            address: _,
            since,
            answered,
            connected,
        } = &mut self.probed;
        if mem::discriminant(last) != mem::discriminant(&probe) {
            *since = Some(now);
        }
        if self.open.is_some() {
            *answered = Some(now);
        }
        *connected = self.open.as_ref().map(|open| open.at);
        *last = probe;
    }

    /// Waits until the next probe is due.
    async fn wait(&mut self) {
        let rest = match &self.open {
            None => self.rests.after_failure(Instant::now()),
            Some(open) => {
                let every = about(self.pace.every, fastrand::u64(..));
                match timeout(every, open.connection.lost()).await {
                    Ok(()) => self.rests.after_loss(open.since, Instant::now()),
                    Err(_) => return self.rests.forget(),
                }
            }
        };
        sleep(about(rest, fastrand::u64(..))).await;
    }
}

// === impl Open ===

impl Open {
    pub(super) fn now(connection: Connection) -> Self {
        Self {
            connection,
            since: Instant::now(),
            at: Timestamp::now(),
        }
    }
}
