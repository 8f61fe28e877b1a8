//! Updates a Snapshot in rounds from the objects of a `World`, which is a cluster or a set of
//! files.

use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use portolan_world::{Changes, Ended, Informed, Informer, Notifier};
use tokio::time::{Instant, sleep_until};

use crate::SnapshotCell;

/// The minimum interval between the starts of two rounds. A burst of changes therefore causes only
/// a few rounds. A single change is processed immediately.
const ROUND: Duration = Duration::from_millis(2);

/// The number of namespaces that are judged before the thread runs other tasks.
const IN_A_ROW: usize = 16;

/// The watched objects of a service, and the results that the service computes for each namespace.
///
/// [`Rounds`] calls the methods in the order of their declaration.
pub trait Cache: Send {
    /// The immutable state with which the service processes requests.
    type Snapshot: Send + Sync;

    /// Returns the kinds that are always watched. The service judges no namespace until the objects
    /// of all these kinds have been listed.
    fn kinds(&mut self) -> Vec<&mut dyn Informer>;

    /// Updates the cache with the changes. Returns the namespaces whose results may change.
    fn apply(&mut self, changes: &Changes) -> BTreeSet<Arc<str>>;

    /// Returns the namespaces that have objects now or a result of an earlier round.
    fn namespaces(&self) -> BTreeSet<Arc<str>>;

    /// Computes the result for a namespace. Returns true if the result differs from the previous
    /// result.
    fn judge(&mut self, namespace: &Arc<str>) -> bool;

    /// Starts and stops watches of objects that only some results need. Returns the namespaces that
    /// must be judged again because such a watch started or stopped. The next round applies the
    /// objects of newly watched kinds.
    fn follow_besides(&mut self) -> BTreeSet<Arc<str>> {
        BTreeSet::new()
    }

    /// Computes the results for cluster-scoped objects. Returns true if a result differs from the
    /// previous result.
    fn judge_rest(&mut self, _changes: &Changes) -> bool {
        false
    }

    /// Returns the current state. The new Snapshot shares unchanged parts with the previous
    /// Snapshot.
    fn snapshot(&self) -> Self::Snapshot;

    /// Returns true if all required objects were listed. Then the service becomes ready, if at
    /// least one kind could be listed.
    fn is_settled(&self) -> bool {
        true
    }

    /// Waits for a change outside the watched objects. The change starts the next round.
    ///
    /// # Cancel safety
    /// Dropping the future early must have no effect.
    fn changed(&mut self) -> impl Future<Output = ()> + Send {
        pending()
    }
}

/// Runs a [`Cache`] in rounds. Each round applies all pending changes, judges the affected
/// namespaces, and publishes a Snapshot if a result has changed.
#[derive(Debug)]
pub struct Rounds<C> {
    cache: C,
    notifier: Notifier,
    informed: Informed,
}

/// The work of one round.
#[derive(Debug)]
pub struct Due {
    /// The namespaces to judge.
    pub namespaces: BTreeSet<Arc<str>>,
    changes: Changes,
}

// === impl Rounds ===

impl<C: Cache> Rounds<C> {
    /// Creates the rounds of a cache. All kinds of the cache must report their changes to this
    /// notifier.
    pub fn new(cache: C, notifier: Notifier) -> Self {
        Self {
            cache,
            notifier,
            informed: Informed::default(),
        }
    }

    /// Runs rounds until the world ends. The world ends when its objects can no longer be watched.
    pub async fn run(mut self, cell: SnapshotCell<C::Snapshot>) -> Ended {
        loop {
            let next = Instant::now() + ROUND;
            self.round(&cell).await;
            tokio::select! {
                notified = self.notifier.notified() => if let Err(ended) = notified {
                    return ended;
                },
                () = self.cache.changed() => {}
            }
            sleep_until(next).await;
        }
    }

    /// Runs one round. Publishes no Snapshot until every kind has been listed.
    pub async fn round(&mut self, cell: &SnapshotCell<C::Snapshot>) {
        let Some(Due {
            namespaces,
            changes,
        }) = self.look().await
        else {
            return;
        };
        let mut is_changed = self.judge(namespaces).await;
        // Watching optional kinds never requires more optional kinds, so one call is sufficient.
        let besides = self.cache.follow_besides();
        is_changed |= self.judge(besides).await;
        is_changed |= self.cache.judge_rest(&changes);
        if is_changed || changes.bear_on_all() {
            cell.publish(self.cache.snapshot());
        }
        if self.cache.is_settled() {
            cell.settle();
            if self.informed.is_heard() {
                cell.hear();
            }
        }
    }

    /// Applies the pending changes and returns the namespaces to judge. Returns None until every
    /// kind has been listed.
    pub async fn look(&mut self) -> Option<Due> {
        let changes = self.informed.look(self.cache.kinds()).await;
        let mut namespaces = self.cache.apply(&changes);
        if !self.informed.is_synced() {
            return None;
        }
        if changes.bear_on_all() {
            namespaces = self.cache.namespaces();
        }
        Some(Due {
            namespaces,
            changes,
        })
    }

    /// Computes the results for these namespaces. Returns true if a result has changed.
    async fn judge(&mut self, namespaces: BTreeSet<Arc<str>>) -> bool {
        let mut is_changed = false;
        for (number, namespace) in namespaces.iter().enumerate() {
            is_changed |= self.cache.judge(namespace);
            if number % IN_A_ROW == IN_A_ROW - 1 {
                tokio::task::yield_now().await;
            }
        }
        is_changed
    }
}
