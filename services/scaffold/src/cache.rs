//! From the objects of a world to Snapshots, in rounds.

use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use portolan_world::{Changes, Ended, Informed, Informer, Notifier};
use tokio::time::{Instant, sleep_until};

use crate::SnapshotCell;

/// The minimum interval between the starts of two rounds. A burst of changes is applied in a few
/// rounds, and a single change is applied immediately.
const ROUND: Duration = Duration::from_millis(2);

/// The number of namespaces that are judged before other tasks get their turn on the thread.
const IN_A_ROW: usize = 16;

/// The objects of a service, and what it made of them, namespace by namespace.
///
/// The methods are called in the order of their declaration.
pub trait Cache: Send {
    /// The data that the service answers from.
    type Snapshot: Send + Sync;

    /// Returns the kinds that are followed all the time. Nothing is judged before each of them has
    /// been listed.
    fn kinds(&mut self) -> Vec<&mut dyn Informer>;

    /// Applies the changes; returns the namespaces that they affect.
    fn apply(&mut self, changes: &Changes) -> BTreeSet<Arc<str>>;

    /// Returns the namespaces with current or earlier results.
    fn namespaces(&self) -> BTreeSet<Arc<str>>;

    /// Evaluates a namespace. Returns true if the result differs from the previous one.
    fn judge(&mut self, namespace: &Arc<str>) -> bool;

    /// Begins and ends to follow what only some verdicts ask for; returns the namespaces that are
    /// judged once more for it. What is followed for those waits for the next round.
    fn follow_besides(&mut self) -> BTreeSet<Arc<str>> {
        BTreeSet::new()
    }

    /// Evaluates objects without a namespace. Returns true if the result differs from the previous
    /// one.
    fn judge_rest(&mut self, _changes: &Changes) -> bool {
        false
    }

    /// Returns the current state. Unchanged parts are shared with the previous Snapshot.
    fn snapshot(&self) -> Self::Snapshot;

    /// Returns true if all required objects have been listed. The service is then ready, if at
    /// least one kind could be listed.
    fn is_settled(&self) -> bool {
        true
    }

    /// Waits for a change that no followed object reports.
    ///
    /// # Cancel safety
    /// Dropped early, it must count as never called.
    fn changed(&mut self) -> impl Future<Output = ()> + Send {
        pending()
    }
}

/// Drives a [`Cache`]: each round applies all pending changes, evaluates the namespaces that they
/// affect, and publishes a Snapshot if the result has changed.
#[derive(Debug)]
pub struct Rounds<C> {
    cache: C,
    notifier: Notifier,
    informed: Informed,
}

/// The work of a round.
#[derive(Debug)]
pub struct Due {
    /// The namespaces that are judged.
    pub namespaces: BTreeSet<Arc<str>>,
    changes: Changes,
}

// === impl Rounds ===

impl<C: Cache> Rounds<C> {
    /// Creates the rounds of a cache. The kinds of the cache must use this notifier.
    pub fn new(cache: C, notifier: Notifier) -> Self {
        Self {
            cache,
            notifier,
            informed: Informed::default(),
        }
    }

    /// Runs rounds until the world ends.
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

    /// Runs one round. Nothing is published before every kind has been listed.
    pub async fn round(&mut self, cell: &SnapshotCell<C::Snapshot>) {
        let Some(Due {
            namespaces,
            changes,
        }) = self.look().await
        else {
            return;
        };
        let mut is_changed = self.judge(namespaces).await;
        // Optional kinds do not change which kinds are required, so one call is enough.
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

    /// Applies the changes, and returns what must be evaluated. Returns None until every kind has
    /// been listed.
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

    /// Returns true if a result has changed.
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
