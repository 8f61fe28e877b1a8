//! What watchers are told.

use std::collections::VecDeque;

use futures::Stream;
use portolan_shell::{Epoch, HEARTBEAT};
use tokio::sync::watch;
use tokio::time::Instant;

/// One message to a watcher.
#[derive(Debug, Clone, PartialEq)]
pub struct Message<C> {
    /// The life of the process that tells it.
    pub epoch: String,
    /// The Snapshot that the watcher knows once it knows all changes up to the next revision.
    pub revision: u32,
    /// What is told.
    pub event: Event<C>,
}

/// What a watcher is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<C> {
    /// Something is not as the watcher knows it.
    Change(C),
    /// The watcher knows everything that there was when it began.
    Synced,
    /// Nothing has changed for some time.
    Heartbeat,
}

/// What is new in what was published.
#[derive(Debug)]
pub struct Update<C> {
    /// The revision of it.
    pub revision: u32,
    /// How it differs from what the watcher knows, in the order in which that is told.
    pub changes: Vec<C>,
}

/// One watcher.
struct Watcher<P, C, F> {
    posted: watch::Receiver<P>,
    epoch: Epoch,
    /// It remembers what the watcher knows once all of `next` is told.
    compare: F,
    revision: u32,
    next: VecDeque<Event<C>>,
    is_synced: bool,
    /// When the watcher has heard nothing for too long.
    heartbeat: Instant,
}

/// Tells what changes, until nothing more is published. `compare` remembers what its watcher knows,
/// and says how what is published differs from it; None of what is not to be told.
///
/// There is no queue of what was published: a watcher is told how the newest differs from what it
/// knows, when it is ready to hear it. However slow it is, it costs no more than what it knows, and
/// the last state always arrives; it never has to be reset.
pub fn messages<P: Clone, C>(
    mut posted: watch::Receiver<P>,
    epoch: Epoch,
    compare: impl FnMut(&P) -> Option<Update<C>>,
) -> impl Stream<Item = Message<C>> {
    posted.mark_changed();
    let watcher = Watcher {
        posted,
        epoch,
        compare,
        revision: 0,
        next: VecDeque::new(),
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

impl<P: Clone, C, F: FnMut(&P) -> Option<Update<C>>> Watcher<P, C, F> {
    /// None once nothing more is published.
    async fn event(&mut self) -> Option<Event<C>> {
        loop {
            if let Some(event) = self.next.pop_front() {
                return Some(event);
            }
            match tokio::time::timeout_at(self.heartbeat, self.posted.changed()).await {
                Ok(changed) => changed.ok()?,
                Err(_) => return Some(Event::Heartbeat),
            }
            // Copied, so that whoever publishes does not wait for the comparison.
            let posted = self.posted.borrow_and_update().clone();
            if let Some(update) = (self.compare)(&posted) {
                self.take(update);
            }
        }
    }

    fn take(&mut self, update: Update<C>) {
        let Update { revision, changes } = update;
        self.revision = revision;
        self.next.extend(changes.into_iter().map(Event::Change));
        if !std::mem::replace(&mut self.is_synced, true) {
            self.next.push_back(Event::Synced);
        }
    }
}
