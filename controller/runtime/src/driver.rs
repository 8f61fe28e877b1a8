//! The reconcile loop of one kind. The loop applies changes to the cache, and reconciles the
//! objects that are due. Several objects are reconciled at the same time, but never the same object
//! twice.

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

/// The maximum time to wait until the cache shows the writes of this process.
const UNSEEN: Duration = Duration::from_secs(10);

/// The objects of one kind, and all objects that affect their reconciliation. A [`Driver`] owns the
/// cache.
pub trait Cache: Send + 'static {
    /// The input for the reconciliation of one object. Later changes do not affect it.
    type Snapshot: Send + 'static;
    /// The data that a reconciliation returns to the cache. It is `()` for most caches.
    type Report: Send + 'static;

    /// Waits until there are changes to apply.
    ///
    /// # Errors
    /// Returns an error if there can be no more changes.
    ///
    /// # Cancel safety
    /// This method is cancel safe. No changes are lost if the future is dropped early.
    fn changed(&mut self) -> impl Future<Output = Result<(), Ended>> + Send;

    /// Applies changes. Returns the objects that must be reconciled because of these changes,
    /// including deleted objects.
    fn refresh(&mut self) -> impl Future<Output = BTreeSet<Key>> + Send;

    /// Returns true if enough objects are known to reconcile.
    fn is_synced(&self) -> bool;

    /// Returns the input for the reconciliation of one object. Returns None if the object no longer
    /// exists.
    fn snapshot(&mut self, key: &Key) -> Option<Self::Snapshot>;

    /// Returns the cached state of the object of this write. Returns None if the object is not
    /// cached.
    fn cached(&self, write: &PendingWrite) -> Option<Cached>;

    /// Applies the report of a reconciliation. Returns the objects that must be reconciled because
    /// of the report.
    fn reconciled(&mut self, key: &Key, report: Self::Report) -> BTreeSet<Key>;

    /// Logs a warning about an object. The message uses the names of the kind.
    fn warn(&self, key: &Key, warning: Warning<'_>);
}

/// A warning about one object, which the cache logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Warning<'a> {
    /// The reconciliation failed for this reason and will be retried.
    Failed(&'a str),
    /// The cache did not show a write of this process in time. The object is reconciled anyway.
    Unseen(&'a PendingWrite),
}

/// Reconciles single objects. Several tasks call the methods at the same time.
pub trait Reconciler: Send + Sync + 'static {
    /// The cache that creates the snapshots.
    type Cache: Cache;

    /// Makes the next changes toward the desired state of an object. The driver calls this method
    /// again after the cache contains its writes. After a failure, the driver calls this method
    /// again after a backoff.
    fn reconcile(
        &self,
        key: &Key,
        snapshot: SnapshotOf<Self>,
    ) -> impl Future<Output = Outcome<ReportOf<Self>>> + Send;

    /// Drops the kept data about an object that no longer exists.
    fn forget(&self, key: &Key);

    /// Called when all objects were reconciled and no object is due.
    fn idle(&self) {}
}

/// The snapshots of a reconciler.
pub type SnapshotOf<R> = <<R as Reconciler>::Cache as Cache>::Snapshot;
/// The reports of a reconciler.
pub type ReportOf<R> = <<R as Reconciler>::Cache as Cache>::Report;

/// The result of a reconciliation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome<T = ()> {
    /// The writes that the cache must contain before the object is reconciled again.
    pub pending: Vec<PendingWrite>,
    /// True if the object must be reconciled again as soon as the cache contains the writes in
    /// `pending`.
    pub has_acted: bool,
    /// The reason why the reconciliation failed. None if it succeeded. After a failure, the object
    /// is reconciled again after a backoff.
    pub failure: Option<String>,
    /// True if another client has written in the meantime. The backoff is the same as after a
    /// failure, but there is no warning.
    pub has_conflict: bool,
    /// The time of the next reconciliation, unless a change causes one earlier.
    pub requeue_at: Option<Instant>,
    /// True if the reconciler itself limits the rate of such reconciliations. They do not count
    /// toward the rate limit of the object.
    pub is_bounded: bool,
    /// The report that [`Cache::reconciled`] gets.
    pub report: T,
}

/// Converts a failed write to the outcome of a reconciliation that has changed nothing.
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

/// Runs the controller of one kind: its cache, its queue and its reconciliations.
#[derive(Debug)]
pub struct Driver<R: Reconciler> {
    /// The cache of the objects.
    pub cache: R::Cache,
    /// The reconciler that is called for each object.
    pub reconciler: Arc<R>,
    /// The maximum number of objects that are reconciled at the same time.
    pub at_once: usize,
    /// Becomes ready when the cache is synced.
    pub ready: Readiness,
    /// Counts finished reconciliations.
    pub metrics: Reconciles,
}

/// The state of a driver while it runs.
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
    /// Runs until the cache ends, or until `stop` is cancelled and the running reconciliations have
    /// ended. Until `leads` has completed, only the cache is updated, and no object is reconciled.
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

    /// Starts as many reconciliations as the limits permit now.
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

    /// Releases the objects whose writes the cache contains, and the objects whose wait has timed
    /// out.
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

/// Waits until this time. Without a time, waits forever.
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
