//! The stream of messages to one client of a watch.

use std::collections::VecDeque;

use futures::Stream;
use portolan_shell::{Epoch, HEARTBEAT};
use tokio::sync::watch;
use tokio::time::Instant;

/// A message to a client of a watch.
#[derive(Debug, Clone, PartialEq)]
pub struct Message<C> {
    /// Identifies the run of the process that sends the message.
    pub epoch: String,
    /// The revision of a Snapshot. The client has the state of this Snapshot after it receives all
    /// messages with this revision.
    pub revision: u32,
    /// The event.
    pub event: Event<C>,
}

/// An event for a client of a watch.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<C> {
    /// An item that differs from the client's state.
    Change(C),
    /// The client has received the complete state that existed when the watch started.
    Synced,
    /// A heartbeat: nothing has changed for some time.
    Heartbeat,
}

/// The changes between a client's state and a published Snapshot.
#[derive(Debug)]
pub struct WatchUpdate<C> {
    /// The revision of the Snapshot.
    pub revision: u32,
    /// The differences from the client's state, in the order in which they must be sent.
    pub changes: Vec<C>,
    /// The time of the next comparison if no Snapshot is published before. None if the result of
    /// the comparison does not depend on the time.
    pub again: Option<Instant>,
}

/// Computes the changes for one client of a watch. The implementation remembers the state that the
/// client has after it receives all computed changes.
///
/// Every `FnMut(P) -> Option<WatchUpdate<C>>` implements this trait.
pub trait Compare<P>: Send {
    /// A change between two Snapshots.
    type Change: Send;

    /// Compares the published state with the client's state. Returns None if there is nothing to
    /// send.
    fn compare(
        &mut self,
        posted: P,
    ) -> impl Future<Output = Option<WatchUpdate<Self::Change>>> + Send;
}

/// The state of one client of a watch.
struct Watcher<P, F: Compare<P>> {
    posted: watch::Receiver<P>,
    epoch: Epoch,
    /// Remembers the state that the client has after it receives all events in `next`.
    compare: F,
    revision: u32,
    next: VecDeque<Event<F::Change>>,
    again: Option<Instant>,
    is_synced: bool,
    /// The time of the next heartbeat.
    heartbeat: Instant,
}

/// Returns a stream of changes. The stream ends when no more Snapshots can be published.
///
/// Snapshots are not queued. When a client is ready to receive, it gets the differences between the
/// newest state and its state. A slow client therefore needs memory only for its state, always gets
/// the newest state, and never has to start again.
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
