//! The probes of the registries of CatalogSources.
//!
//! Each registry has its own task. The task keeps a connection open, and requests the serving
//! status and the packages of the registry. A healthy registry is probed at regular intervals, and
//! immediately after the connection is lost. An unhealthy registry is probed with increasing
//! delays. A registry is identified by its address. If several CatalogSources have the same
//! address, there is one probe for all of them.
//!
//! ```text
//! want -> a task for each address: ask, tell, wait -> ProbeLedger -> Results, Results, ..
//! ```
//!
//! Results are states and not events: all readers share the newest result. Reading a result does
//! not start a probe.

mod ledger;
mod once;
mod prober;
mod question;
mod record;
mod rest;
mod sentence;

use std::collections::{BTreeMap, BTreeSet};
use std::future;
use std::time::Duration;

use jiff::Timestamp;
use portolan_core_health::Probe;
use portolan_world::Key;
use portolan_world::registry::{Address, Dialer};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use self::ledger::ProbeLedger;
pub use self::once::once;
use self::prober::Prober;

/// The intervals and timeouts of probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The pause between two probes of a healthy registry, plus or minus a tenth.
    pub every: Duration,
    /// The maximum time of a whole probe, including the time to connect.
    pub answer: Duration,
    /// The maximum delay in the first minute of a failure, and after the connection to a healthy
    /// registry was lost. During this time, the last result may be outdated.
    pub short_rest: Duration,
    /// The first delay after a failure. Each following delay is twice as long. See
    /// [`Pace::longest_rest`].
    pub first_rest: Duration,
    /// The maximum pause. It is not reached within the first minute of a failure.
    pub longest_rest: Duration,
}

/// The result of probing one registry. Two equal failures have equal results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// The result of the last probe.
    pub probe: Probe,
    /// The address that is probed.
    pub address: String,
    /// The time since which the registry has had this result. None before the first result. A
    /// different number of packages, or another message for the same kind of failure, does not
    /// change this time.
    pub since: Option<Timestamp>,
    /// The time of the last complete response.
    pub answered: Option<Timestamp>,
    /// The time since which the connection is open. None without a connection.
    pub connected: Option<Timestamp>,
}

/// The tasks that probe all wanted registries. They end when this value is dropped.
#[derive(Debug)]
pub struct Probes {
    pace: Pace,
    dialer: Dialer,
    tasks: BTreeMap<Address, AbortOnDropHandle<()>>,
    all: watch::Sender<ProbeLedger>,
    mine: Results,
}

/// A handle with which a reader gets the results.
#[derive(Debug, Clone)]
pub struct Results(watch::Receiver<ProbeLedger>);

// === impl Pace ===

impl Default for Pace {
    fn default() -> Self {
        Self {
            every: Duration::from_secs(60),
            answer: Duration::from_secs(5),
            first_rest: Duration::from_millis(500),
            short_rest: Duration::from_secs(5),
            longest_rest: Duration::from_secs(60),
        }
    }
}

// === impl Probed ===

impl Probed {
    /// Returns the state of a registry before its first result.
    fn pending(address: &Address) -> Self {
        Self {
            probe: Probe::Pending,
            address: address.to_string(),
            since: None,
            answered: None,
            connected: None,
        }
    }
}

// === impl Probes ===

impl Probes {
    /// Starts without registries.
    pub fn new(pace: Pace, dialer: Dialer) -> Self {
        let (all, receiver) = watch::channel(ProbeLedger::default());
        Self {
            pace,
            dialer,
            tasks: BTreeMap::new(),
            all,
            mine: Results(receiver),
        }
    }

    /// Probes exactly these registries from now on. Running probes of these registries continue,
    /// and their results count for every CatalogSource with the same address.
    pub fn want(&mut self, wanted: BTreeMap<Key, Address>) {
        let addresses: BTreeSet<_> = wanted.values().cloned().collect();
        self.tasks.retain(|address, _| addresses.contains(address));
        self.all.send_if_modified(|all| all.turn_to(wanted));
        for address in addresses {
            if !self.tasks.contains_key(&address) {
                let prober = Prober::new(address.clone(), self);
                let task = AbortOnDropHandle::new(tokio::spawn(prober.run()));
                self.tasks.insert(address, task);
            }
        }
    }

    /// Returns the current results.
    pub fn now(&mut self) -> BTreeMap<Key, Probed> {
        self.mine.now()
    }

    /// Waits until there are new results since the last [`Probes::now`]. Can be dropped and called
    /// again.
    pub async fn changed(&mut self) {
        self.mine.changed().await;
    }

    /// Returns a handle to the results.
    pub fn results(&self) -> Results {
        self.mine.clone()
    }
}

// === impl Results ===

impl Results {
    /// Returns the current results.
    pub fn now(&mut self) -> BTreeMap<Key, Probed> {
        self.0.borrow_and_update().by_key()
    }

    /// Waits until there are new results since the last [`Results::now`]; forever after probing has
    /// ended. Can be dropped and called again.
    pub async fn changed(&mut self) {
        match self.0.changed().await {
            Ok(()) => self.0.mark_changed(),
            Err(_) => future::pending().await,
        }
    }
}
