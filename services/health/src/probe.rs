//! The probes of the registries of CatalogSources.
//!
//! Each registry has a separate task. The task keeps a connection open, and requests the serving
//! status and the packages of the registry. A healthy registry is probed at regular intervals, and
//! immediately after the connection is lost. An unhealthy registry is probed with growing pauses. A
//! registry is identified by its address. CatalogSources with the same address share a probe.
//!
//! ```text
//! want -> a task for each address: ask, tell, wait -> ProbeLedger -> Results, Results, ..
//! ```
//!
//! All readers share the newest result. Older results are not queued. Reading a result does not
//! start a probe.

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
    /// The pause between two probes of a healthy registry. The actual pause varies by a tenth.
    pub every: Duration,
    /// The maximum time of a probe, including the time to connect.
    pub answer: Duration,
    /// The maximum pause in the first minute of a failure, and after the connection to a healthy
    /// registry was lost. During this pause, the last result may be outdated.
    pub short_rest: Duration,
    /// The pause after the first failure. Each following pause is twice as long, up to
    /// [`Pace::longest_rest`].
    pub first_rest: Duration,
    /// The maximum pause. It does not apply within the first minute of a failure.
    pub longest_rest: Duration,
}

/// The result of probing one registry. Repeated probes with the same failure have equal results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// The result of the last probe.
    pub probe: Probe,
    /// The address that is probed.
    pub address: String,
    /// The time since which the registry has had this result. None before the first result. The
    /// time stays the same if only the number of packages changes, or only the message of the same
    /// kind of failure.
    pub since: Option<Timestamp>,
    /// The time of the last complete response.
    pub answered: Option<Timestamp>,
    /// The time at which the current connection was opened. None without a connection.
    pub connected: Option<Timestamp>,
}

/// The tasks that probe registries. The tasks end when this value is dropped.
#[derive(Debug)]
pub struct Probes {
    pace: Pace,
    dialer: Dialer,
    tasks: BTreeMap<Address, AbortOnDropHandle<()>>,
    all: watch::Sender<ProbeLedger>,
    mine: Results,
}

/// A handle for reading the probe results.
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
    /// Creates probes without registries.
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

    /// Probes exactly these registries from now on. Running probes of these registries continue.
    /// Their results apply to all CatalogSources with the same address.
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

    /// Waits until there are newer results than [`Probes::now`] has returned. Cancel safe.
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

    /// Waits until there are newer results than [`Results::now`] has returned. Waits forever after
    /// the probes have ended. Cancel safe.
    pub async fn changed(&mut self) {
        match self.0.changed().await {
            Ok(()) => self.0.mark_changed(),
            Err(_) => future::pending().await,
        }
    }
}
