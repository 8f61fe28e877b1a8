//! The messages to watchers.

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
    /// The event that is told.
    pub event: Event<C>,
}

/// An event that a watcher is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<C> {
    /// Something is not as the watcher knows it.
    Change(C),
    /// The watcher knows everything that there was when it began.
    Synced,
    /// Nothing has changed for some time.
    Heartbeat,
}

/// The news in what was published, for one watcher.
#[derive(Debug)]
pub struct Update<C> {
    /// The revision of it.
    pub revision: u32,
    /// The differences from what the watcher knows, in the order in which they are told.
    pub changes: Vec<C>,
    /// When the same may say something else though nothing new is published; None if it never does.
    pub again: Option<Instant>,
}

/// Says what is new to one watcher: it remembers what that one knows once all of it is told.
///
/// Every function that needs no time for it is one.
pub trait Compare<P>: Send {
    /// One thing that is not as it was.
    type Change: Send;

    /// Compares what is published with what the watcher knows; returns None if it is not to be
    /// told.
    fn compare(&mut self, posted: P) -> impl Future<Output = Option<Update<Self::Change>>> + Send;
}

/// One watcher.
struct Watcher<P, F: Compare<P>> {
    posted: watch::Receiver<P>,
    epoch: Epoch,
    /// It remembers what the watcher knows once all of `next` is told.
    compare: F,
    revision: u32,
    next: VecDeque<Event<F::Change>>,
    again: Option<Instant>,
    is_synced: bool,
    /// When the watcher has heard nothing for too long.
    heartbeat: Instant,
}

/// Tells what changes, until nothing more is published.
///
/// There is no queue of what was published: a watcher is told how the newest differs from what it
/// knows, when it is ready to hear it. However slow it is, it costs no more than what it knows, and
/// the last state always arrives; it never has to be reset.
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
    /// None once nothing more is published.
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
            // Copied, so that whoever publishes does not wait for the comparison.
            let posted = self.posted.borrow_and_update().clone();
            if let Some(update) = self.compare.compare(posted).await {
                self.take(update);
            }
        }
    }

    fn take(&mut self, update: Update<F::Change>) {
        let Update {
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

impl<P: Send, C: Send, F: FnMut(P) -> Option<Update<C>> + Send> Compare<P> for F {
    type Change = C;

    fn compare(&mut self, posted: P) -> impl Future<Output = Option<Update<C>>> + Send {
        std::future::ready(self(posted))
    }
}
