//! From the objects of a world to Snapshots, in rounds.

use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use portolan_world::{Changes, Ended, Informed, Informer, Notifier};
use tokio::time::{Instant, sleep_until};

use crate::SnapshotCell;

/// The least time from the beginning of a round to the next: what comes in a burst is taken over in
/// a few rounds, and what comes alone waits for nothing.
const ROUND: Duration = Duration::from_millis(2);

/// The number of namespaces that are judged before other tasks get their turn on the thread.
const IN_A_ROW: usize = 16;

/// The objects of a service, and what it made of them, namespace by namespace.
///
/// The methods are called in the order in which they stand here.
pub trait Cache: Send {
    /// The data that the service answers from.
    type Snapshot: Send + Sync;

    /// Every kind that is followed from the beginning to the end, listed once. Nothing is judged
    /// before there is an answer about each.
    fn kinds(&mut self) -> Vec<&mut dyn Informer>;

    /// Takes over what has changed; returns the namespaces that it bears on.
    fn apply(&mut self, changes: &Changes) -> BTreeSet<Arc<str>>;

    /// Every namespace of which there is something to say, or was.
    fn namespaces(&self) -> BTreeSet<Arc<str>>;

    /// Judges a namespace by what there is in it. Says whether anything that is said is not as it
    /// was.
    fn judge(&mut self, namespace: &Arc<str>) -> bool;

    /// Begins and ends to follow what only some verdicts ask for; returns the namespaces that are
    /// judged once more for it. What is followed for those waits for the next round.
    fn follow_besides(&mut self) -> BTreeSet<Arc<str>> {
        BTreeSet::new()
    }

    /// Judges what is in no namespace. Says whether anything that is said is not as it was.
    fn judge_rest(&mut self, _changes: &Changes) -> bool {
        false
    }

    /// All that there is to say now. What did not change is shared with the Snapshot before.
    fn snapshot(&self) -> Self::Snapshot;

    /// Whether everything has been looked at that should be. The service is ready from then on, if
    /// anybody was there to tell of any kind.
    fn is_settled(&self) -> bool {
        true
    }

    /// Waits until there is something to take over that no followed object tells of.
    ///
    /// # Cancel safety
    /// Dropped early, it must count as never called.
    fn changed(&mut self) -> impl Future<Output = ()> + Send {
        pending()
    }
}

/// Drives a [`Cache`]: each round takes over all that there is, however many changes that is, judges
/// what they bear on, and publishes a Snapshot if that says anything new.
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
    /// The notifier is the one that the kinds of the cache are followed with.
    pub fn new(cache: C, notifier: Notifier) -> Self {
        Self {
            cache,
            notifier,
            informed: Informed::default(),
        }
    }

    /// One round after the other, until the world ends.
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

    /// One round. Nothing is published before there is an answer about every kind.
    pub async fn round(&mut self, cell: &SnapshotCell<C::Snapshot>) {
        let Some(Due {
            namespaces,
            changes,
        }) = self.look().await
        else {
            return;
        };
        let mut is_changed = self.judge(namespaces).await;
        // What is followed besides does not change what has to be: once is enough.
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

    /// Takes over what there is, and says what is to be judged for it. None before there is an
    /// answer about every kind.
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

    /// Says whether anything is not as it was.
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
