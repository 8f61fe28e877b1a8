//! The loop of one kind: takes over changes of the cache and reconciles the objects that are due,
//! several at a time and none twice at once.

use std::collections::BTreeSet;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use jiff::Timestamp;
use portolan_shell::Readiness;
use portolan_world::{Ended, Key};
use tokio_util::sync::CancellationToken;

use crate::client::WriteFailure;
use crate::metrics::Reconciles;
use crate::pending::{Cached, PendingWrite, PendingWrites};
use crate::queue::{self, Queue};

/// The time to wait for the cache to show own writes; it shows them no sooner because of the wait.
const UNSEEN: Duration = Duration::from_secs(10);

/// The objects of one kind and everything that affects them, as a controller sees them. Owned by
/// its [`Driver`].
pub trait Cache: Send + 'static {
    /// The state that one object is reconciled from. Later changes do not touch it.
    type Snapshot: Send + 'static;
    /// The report that the cache takes back from a reconciliation; `()` for most.
    type Report: Send + 'static;

    /// Waits until there are changes to take over.
    ///
    /// # Errors
    /// Returns an error if no more changes will ever come.
    ///
    /// # Cancel safety
    /// This method is cancel safe: dropping the future early loses nothing.
    fn changed(&mut self) -> impl Future<Output = Result<(), Ended>> + Send;

    /// Takes over changes. Returns the objects to reconcile because of them, including deleted
    /// ones.
    fn refresh(&mut self) -> impl Future<Output = BTreeSet<Key>> + Send;

    /// Returns true if enough is known to reconcile objects.
    fn is_synced(&self) -> bool;

    /// Returns the state that one object is reconciled from; None if the object is gone.
    fn snapshot(&mut self, key: &Key) -> Option<Self::Snapshot>;

    /// Returns a written object as the cache has it; None if the cache does not have it.
    fn cached(&self, write: &PendingWrite) -> Option<Cached>;

    /// Takes over a report. Returns the objects to reconcile because of it.
    fn reconciled(&mut self, key: &Key, report: Self::Report) -> BTreeSet<Key>;

    /// Logs something about an object, in the words of the kind.
    fn warn(&self, key: &Key, warning: Warning<'_>);
}

/// Something about one object that a person may want to know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Warning<'a> {
    /// The reconciliation failed for this reason and will be retried.
    Failed(&'a str),
    /// An own write was not seen in time. The object is reconciled all the same.
    Unseen(&'a PendingWrite),
}

/// The logic that is run for one object, by several tasks at once.
pub trait Reconciler: Send + Sync + 'static {
    /// The cache that the snapshots come from.
    type Cache: Cache;

    /// Brings the cluster one step nearer to what an object wants. It is called again after its own
    /// writes were seen, and after a failure with a backoff.
    fn reconcile(
        &self,
        key: &Key,
        snapshot: SnapshotOf<Self>,
    ) -> impl Future<Output = Outcome<ReportOf<Self>>> + Send;

    /// Drops what is remembered of an object that is gone.
    fn forget(&self, key: &Key);

    /// Called when every object was reconciled and none is due now.
    fn idle(&self) {}
}

/// The snapshots of a reconciler.
pub type SnapshotOf<R> = <<R as Reconciler>::Cache as Cache>::Snapshot;
/// The reports of a reconciler.
pub type ReportOf<R> = <<R as Reconciler>::Cache as Cache>::Report;

/// The result of a reconciliation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome<T = ()> {
    /// Own writes, to be seen before the object is reconciled again.
    pub pending: Vec<PendingWrite>,
    /// True if the object is reconciled again once these writes are seen.
    pub has_acted: bool,
    /// The failure, if there was one: the object is reconciled again after a backoff.
    pub failure: Option<String>,
    /// True if another client wrote in between. The backoff is the same, without a warning.
    pub has_conflict: bool,
    /// The time at which the object is reconciled again though nothing changes.
    pub requeue_at: Option<Instant>,
    /// True if the number of such reconciliations is limited elsewhere. This one then does not
    /// lower the rate at which the object is reconciled.
    pub is_bounded: bool,
    /// The report for the cache.
    pub report: T,
}

/// Converts a failed write to the outcome of a reconciliation that did nothing.
impl From<WriteFailure> for Outcome {
    fn from(failure: WriteFailure) -> Self {
        match failure {
            WriteFailure::Conflict(_) => Self {
                has_conflict: true,
                ..Self::default()
            },
            failure @ (WriteFailure::FieldsOwned(_)
            | WriteFailure::Refused(_)
            | WriteFailure::Lost(_)) => Self {
                failure: Some(failure.to_string()),
                ..Self::default()
            },
        }
    }
}

/// The cache, queue and share of the work of one kind.
#[derive(Debug)]
pub struct Driver<R: Reconciler> {
    /// The cache that it reads from.
    pub cache: R::Cache,
    /// The reconciler that it calls for each object.
    pub reconciler: Arc<R>,
    /// The maximum number of objects that are reconciled at once.
    pub at_once: usize,
    /// Set ready as soon as the cache is synced.
    pub ready: Readiness,
    /// Counts what ended.
    pub metrics: Reconciles,
}

/// A driver under way.
struct Running<R: Reconciler> {
    driver: Driver<R>,
    queue: Queue,
    pending: PendingWrites,
    running: FuturesUnordered<BoxFuture<'static, Reconciled<R>>>,
    leads: bool,
    stop: CancellationToken,
}

struct Reconciled<R: Reconciler> {
    key: Key,
    outcome: Outcome<ReportOf<R>>,
}

/// The event that a driver waits for.
enum Next<R: Reconciler> {
    Cache(Result<(), Ended>),
    Reconciled(Box<Reconciled<R>>),
    Leads,
    Time,
    Stop,
}

// === impl Driver ===

impl<R: Reconciler> Driver<R> {
    /// Runs until the cache ends, or until `stop` and the end of what runs. Nothing is reconciled
    /// before `leads` has ended; until then the cache is only kept up to date.
    ///
    /// # Errors
    /// Returns an error if the cache has ended.
    pub async fn run(
        self,
        leads: impl Future<Output = ()> + Send,
        stop: CancellationToken,
    ) -> Result<(), Ended> {
        let mut running = Running {
            driver: self,
            queue: Queue::default(),
            pending: PendingWrites::default(),
            running: FuturesUnordered::new(),
            leads: false,
            stop,
        };
        let mut leads = pin!(leads);
        running.refresh().await;
        loop {
            running.start();
            if running.stop.is_cancelled() && running.running.is_empty() {
                return Ok(());
            }
            if running.is_idle() {
                running.driver.reconciler.idle();
            }
            match running.next(leads.as_mut()).await {
                Next::Cache(changed) => {
                    changed?;
                    running.refresh().await;
                }
                Next::Reconciled(ended) => running.end(*ended),
                Next::Leads => running.leads = true,
                Next::Time => running.settle(),
                Next::Stop => {}
            }
        }
    }
}

// === impl Running ===

impl<R: Reconciler> Running<R> {
    async fn next(&mut self, leads: Pin<&mut impl Future<Output = ()>>) -> Next<R> {
        let wake = self.wake();
        let is_stopping = self.stop.is_cancelled();
        tokio::select! {
            changed = self.driver.cache.changed() => Next::Cache(changed),
            () = leads, if !self.leads => Next::Leads,
            Some(ended) = self.running.next() => Next::Reconciled(Box::new(ended)),
            () = until(wake) => Next::Time,
            () = self.stop.cancelled(), if !is_stopping => Next::Stop,
        }
    }

    async fn refresh(&mut self) {
        let touched = self.driver.cache.refresh().await;
        self.settle();
        self.touch(&touched);
        if self.driver.cache.is_synced() {
            self.driver.ready.set_ready();
        }
    }

    /// Begins with as many objects as may be reconciled now.
    fn start(&mut self) {
        while self.may_start() {
            let Some(key) = self.queue.next(now()) else {
                return;
            };
            match self.driver.cache.snapshot(&key) {
                Some(snapshot) => {
                    let reconciler = self.driver.reconciler.clone();
                    let metrics = self.driver.metrics.clone();
                    self.running
                        .push(Box::pin(reconcile(reconciler, metrics, key, snapshot)));
                }
                None => {
                    self.queue.forget(&key);
                    self.pending.forget(&key);
                    self.driver.reconciler.forget(&key);
                }
            }
        }
    }

    /// Returns true if one more object may be reconciled now.
    fn may_start(&self) -> bool {
        let may = self.leads && self.driver.cache.is_synced() && !self.stop.is_cancelled();
        may && self.running.len() < self.driver.at_once
    }

    fn is_idle(&self) -> bool {
        let is_due = self.queue.wake().is_some_and(|time| time <= now());
        self.may_start() && self.running.is_empty() && !is_due
    }

    fn end(&mut self, reconciled: Reconciled<R>) {
        let Reconciled { key, outcome } = reconciled;
        let Outcome {
            pending,
            has_acted,
            failure,
            has_conflict,
            requeue_at,
            is_bounded,
            report,
        } = outcome;
        if let Some(error) = &failure {
            self.driver.cache.warn(&key, Warning::Failed(error));
        }
        let now = now();
        let ended = queue::ReconcileEnd {
            now,
            backs_off: failure.is_some() || has_conflict,
            requeue_at,
            is_bounded,
        };
        self.queue.end(&key, ended);
        if has_acted {
            self.queue.touch(&key, now);
        }
        if !pending.is_empty() {
            let until = now + UNSEEN;
            self.queue.hold(&key, until);
            self.pending.expect(&key, pending, until);
            self.settle();
        }
        let touched = self.driver.cache.reconciled(&key, report);
        self.touch(&touched);
    }

    /// Releases the objects whose own writes were all seen, or have timed out.
    fn settle(&mut self) {
        let cache = &self.driver.cache;
        for settled in self.pending.settle(now(), |write| cache.cached(write)) {
            for write in &settled.unseen {
                cache.warn(&settled.key, Warning::Unseen(write));
            }
            self.queue.release(&settled.key);
        }
    }

    fn touch(&mut self, keys: &BTreeSet<Key>) {
        let now = now();
        keys.iter().for_each(|key| self.queue.touch(key, now));
    }

    fn wake(&self) -> Option<Instant> {
        let next = self.queue.wake().filter(|_| self.may_start());
        next.into_iter().chain(self.pending.wake()).min()
    }
}

async fn reconcile<R: Reconciler>(
    reconciler: Arc<R>,
    metrics: Reconciles,
    key: Key,
    snapshot: SnapshotOf<R>,
) -> Reconciled<R> {
    let begun = tokio::time::Instant::now();
    let outcome = reconciler.reconcile(&key, snapshot).await;
    metrics.count(outcome.failure.is_some(), begun.elapsed());
    Reconciled { key, outcome }
}

/// Waits until this moment, or forever if there is no moment.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Converts a wall-clock time to an instant, for [`Outcome::requeue_at`].
pub fn instant(time: Timestamp) -> Instant {
    let left = time.duration_since(Timestamp::now());
    now() + Duration::try_from(left).unwrap_or_default()
}
