//! What watchers are told.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::Stream;
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::watch_response::{Event, Heartbeat, Synced};
use portolan_shell::{Epoch, HEARTBEAT};
use tokio::sync::watch;
use tokio::time::Instant;
use tonic::Status;

use crate::board::Posted;
use crate::question::Watch;
use crate::snapshot::{Change, Snapshot};
use crate::wire;

/// What one watcher has been told, and what it is told next.
///
/// There is no queue of Snapshots: a watcher is told how the current one differs from the one that
/// it knows, when it is ready to hear it. However slow it is, it costs no more than what it knows,
/// and the last state always arrives; it never has to be reset.
#[derive(Debug)]
pub(crate) struct News {
    posted: watch::Receiver<Posted>,
    epoch: Epoch,
    watch: Watch,
    /// What the watcher knows once all of `next` is told.
    known: Arc<Snapshot>,
    next: VecDeque<Next>,
    is_synced: bool,
    /// When it has heard nothing for too long.
    heartbeat: Instant,
}

/// What is told next. It becomes a message when it is told.
#[derive(Debug)]
enum Next {
    Change(Change),
    Synced,
}

// === impl News ===

impl News {
    pub(crate) fn of(mut posted: watch::Receiver<Posted>, epoch: Epoch, watch: Watch) -> Self {
        posted.mark_changed();
        Self {
            posted,
            epoch,
            watch,
            known: Arc::default(),
            next: VecDeque::new(),
            is_synced: false,
            heartbeat: Instant::now() + HEARTBEAT,
        }
    }

    pub(crate) fn into_stream(self) -> impl Stream<Item = Result<pb::WatchResponse, Status>> {
        futures::stream::unfold(self, async |mut news| {
            let event = news.event().await?;
            news.heartbeat = Instant::now() + HEARTBEAT;
            let told = pb::WatchResponse {
                epoch: news.epoch.to_string(),
                revision: news.known.revision,
                event: Some(event),
            };
            Some((Ok(told), news))
        })
    }

    /// None once there will be no more Snapshots.
    async fn event(&mut self) -> Option<Event> {
        loop {
            if let Some(next) = self.next.pop_front() {
                return Some(next.encode());
            }
            match tokio::time::timeout_at(self.heartbeat, self.posted.changed()).await {
                Ok(changed) => changed.ok()?,
                Err(_) => return Some(Event::Heartbeat(Heartbeat {})),
            }
            let posted = self.posted.borrow_and_update().clone();
            if let Some(snapshot) = posted {
                self.compare(snapshot);
            }
        }
    }

    fn compare(&mut self, snapshot: Arc<Snapshot>) {
        let changes = snapshot.since(&self.known, self.watch.namespace.as_deref());
        self.next.extend(changes.into_iter().map(Next::Change));
        self.known = snapshot;
        if !std::mem::replace(&mut self.is_synced, true) {
            self.next.push_back(Next::Synced);
        }
    }
}

// === impl Next ===

impl Next {
    fn encode(self) -> Event {
        match self {
            Self::Change(change) => wire::encode_change(&change),
            Self::Synced => Event::Synced(Synced {}),
        }
    }
}
