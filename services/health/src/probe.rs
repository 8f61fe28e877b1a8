//! The results of asking the registries behind CatalogSources.
//!
//! Each registry has a task of its own, which asks it over a connection that stays open: whether it
//! serves, and which packages it has. It is asked from time to time while it is well, at once when
//! the connection is lost, and with rests that grow while it is not well. A registry is an address:
//! however many CatalogSources name it, it is asked once for all of them.
//!
//! ```text
//! want -> a task for each address: ask, tell, wait -> ProbeLedger -> Results, Results, ..
//! ```
//!
//! Results are states and not events: all readers share the newest, and reading it does not make a
//! registry be asked.

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

/// The intervals and timeouts at which registries are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The pause between two questions to a registry that is well, give or take a tenth.
    pub every: Duration,
    /// The longest time until all is answered, a connection that has to come up included.
    pub answer: Duration,
    /// The longest rest in the first minute of a failure, and after a registry that answered was
    /// lost: for that long what it answered may be out of date.
    pub short_rest: Duration,
    /// The first rest after a failure. The next ones double; see [`Pace::longest_rest`].
    pub first_rest: Duration,
    /// The longest rest, which no rest comes to within the first minute.
    pub longest_rest: Duration,
}

/// The result of asking one registry. Of two failures that are the same, the results are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// The result of the last question.
    pub probe: Probe,
    /// The address at which it is asked.
    pub address: String,
    /// The time since which this is the result. None before the first result. Other packages, or
    /// other messages for a failure of the same kind, do not change it.
    pub since: Option<Timestamp>,
    /// The time of the last complete answer.
    pub answered: Option<Timestamp>,
    /// Since when the connection is open.
    pub connected: Option<Timestamp>,
}

/// Asks all registries that are wanted. The tasks end with it.
#[derive(Debug)]
pub struct Probes {
    pace: Pace,
    dialer: Dialer,
    tasks: BTreeMap<Address, AbortOnDropHandle<()>>,
    all: watch::Sender<ProbeLedger>,
    mine: Results,
}

/// The results, for one who looks at them.
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

    /// Probes these registries from now on, and no others. Running probes continue, and their
    /// results count for every CatalogSource with the same address.
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

    /// Waits until results have come since the last [`Probes::now`]. May be dropped and called
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

    /// Waits for results after the last [`Results::now`]; forever, once probing has ended. Can be
    /// dropped and called again.
    pub async fn changed(&mut self) {
        match self.0.changed().await {
            Ok(()) => self.0.mark_changed(),
            Err(_) => future::pending().await,
        }
    }
}
