//! The messages to watchers.

use std::collections::VecDeque;

use futures::Stream;
use portolan_shell::{Epoch, HEARTBEAT};
use tokio::sync::watch;
use tokio::time::Instant;

/// A message to a watcher.
#[derive(Debug, Clone, PartialEq)]
pub struct Message<C> {
    /// Identifies the process that sends it.
    pub epoch: String,
    /// The revision of the Snapshot that the watcher has after it gets all messages with this
    /// revision.
    pub revision: u32,
    /// The event.
    pub event: Event<C>,
}

/// An event for a watcher.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<C> {
    /// An item differs from the watcher's state.
    Change(C),
    /// The watcher has received the complete state at the time when it started.
    Synced,
    /// A heartbeat: nothing has changed for some time.
    Heartbeat,
}

/// The changes in a published Snapshot, for one watcher.
#[derive(Debug)]
pub struct WatchUpdate<C> {
    /// The revision of it.
    pub revision: u32,
    /// The differences from the watcher's state, in the order in which they must be sent.
    pub changes: Vec<C>,
    /// The time at which the comparison may give another result although no Snapshot is published.
    /// None if there is no such time.
    pub again: Option<Instant>,
}

/// Computes the changes for one watcher. The implementation remembers the watcher's state after all
/// changes are sent.
///
/// Implemented for every function that does not depend on time.
pub trait Compare<P>: Send {
    /// A change between two Snapshots.
    type Change: Send;

    /// Compares the published state with the watcher's state. Returns None if there is send.
    fn compare(
        &mut self,
        posted: P,
    ) -> impl Future<Output = Option<WatchUpdate<Self::Change>>> + Send;
}

/// The state of one client of a watch.
struct Watcher<P, F: Compare<P>> {
    posted: watch::Receiver<P>,
    epoch: Epoch,
    /// Remembers the watcher's state after all of `next` is sent.
    compare: F,
    revision: u32,
    next: VecDeque<Event<F::Change>>,
    again: Option<Instant>,
    is_synced: bool,
    /// The time of the next heartbeat.
    heartbeat: Instant,
}

/// Returns a stream of changes. It ends when no more Snapshots can be published.
///
/// There is no queue. When a watcher is ready, it gets the differences between the newest state and
/// its own state. A slow watcher therefore needs memory only for its own state, always gets the
/// newest state, and never has to start again.
pub fn messages<P: Clone + Send + Sync, F: Compare<P>>(
    mut posted: watch::Receiver<P>,
    epoch: Epoch,
    compare: F,
) -> impl Stream<Item = Message<F::Change>> + Send {
    posted.mark_changed();
    let watcher = Watcher {
        posted,
        epoch,
        compare,
        revision: 0,
        next: VecDeque::new(),
        again: None,
        is_synced: false,
        heartbeat: Instant::now() + HEARTBEAT,
    };
    futures::stream::unfold(watcher, async |mut watcher| {
        let event = watcher.event().await?;
        watcher.heartbeat = Instant::now() + HEARTBEAT;
        let message = Message {
            epoch: watcher.epoch.to_string(),
            revision: watcher.revision,
            event,
        };
        Some((message, watcher))
    })
}

// === impl Watcher ===

impl<P: Clone + Send + Sync, F: Compare<P>> Watcher<P, F> {
    /// Returns the next event. Returns None if no more Snapshots can be published.
    async fn event(&mut self) -> Option<Event<F::Change>> {
        loop {
            if let Some(event) = self.next.pop_front() {
                return Some(event);
            }
            let until = self
                .again
                .map_or(self.heartbeat, |it| it.min(self.heartbeat));
            match tokio::time::timeout_at(until, self.posted.changed()).await {
                Ok(changed) => changed.ok()?,
                Err(_) if until == self.heartbeat => return Some(Event::Heartbeat),
                Err(_) => self.again = None,
            }
            // The state is cloned, so that publishing does not wait for the comparison.
            let posted = self.posted.borrow_and_update().clone();
            if let Some(update) = self.compare.compare(posted).await {
                self.take(update);
            }
        }
    }

    fn take(&mut self, update: WatchUpdate<F::Change>) {
        let WatchUpdate {
            revision,
            changes,
            again,
        } = update;
        self.revision = revision;
        self.again = again;
        self.next.extend(changes.into_iter().map(Event::Change));
        if !std::mem::replace(&mut self.is_synced, true) {
            self.next.push_back(Event::Synced);
        }
    }
}

impl<P: Send, C: Send, F: FnMut(P) -> Option<WatchUpdate<C>> + Send> Compare<P> for F {
    type Change = C;

    fn compare(&mut self, posted: P) -> impl Future<Output = Option<WatchUpdate<C>>> + Send {
        std::future::ready(self(posted))
    }
}
