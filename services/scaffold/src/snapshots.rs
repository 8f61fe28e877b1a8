//! The current Snapshot of a service: publishing it and reading it.

use std::sync::Arc;

use futures::{Stream, StreamExt};
use portolan_shell::{Epoch, Readiness};
use portolan_world::Ended;
use thiserror::Error;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use tonic::Status;

use crate::watcher::{Compare, Message, WatchUpdate, messages};

/// A published Snapshot with its revision.
#[derive(Debug)]
pub struct Posted<S> {
    /// The revision of the Snapshot in this process. Each new Snapshot increases it by one.
    pub revision: u32,
    /// The immutable state with which the service processes requests.
    pub snapshot: Arc<S>,
}

/// Publishes the Snapshots of a service. There is no Snapshot until the objects have been listed.
#[derive(Debug)]
pub struct SnapshotCell<S> {
    posted: watch::Sender<Option<Posted<S>>>,
    settled: Readiness,
    heard: Readiness,
}

/// The Snapshots of a [`SnapshotCell`], for the code that processes requests. Clones share the task
/// that watches the world. The task ends when the last clone and the last stream are dropped.
#[derive(Debug)]
pub struct Snapshots<S> {
    posted: watch::Receiver<Option<Posted<S>>>,
    settled: Readiness,
    heard: Readiness,
    epoch: Epoch,
    /// The task that watches the world. None if other code runs this task.
    following: Option<Arc<AbortOnDropHandle<Ended>>>,
}

/// The error that there is no Snapshot yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the objects of the cluster have not been read yet")]
pub struct NotYet;

// === impl Posted ===

impl<S> Clone for Posted<S> {
    fn clone(&self) -> Self {
        Self {
            revision: self.revision,
            snapshot: self.snapshot.clone(),
        }
    }
}

// === impl SnapshotCell ===

impl<S> SnapshotCell<S> {
    /// Replaces the current Snapshot.
    pub fn publish(&self, snapshot: S) {
        self.posted.send_modify(|posted| {
            let before = posted.as_ref().map_or(0, |posted| posted.revision);
            *posted = Some(Posted {
                revision: before.wrapping_add(1),
                snapshot: Arc::new(snapshot),
            });
        });
    }

    /// Reports that all listing has ended, even if the API server did not answer.
    pub fn settle(&self) {
        self.settled.set_ready();
    }

    /// Reports that all listing has ended and that the API server has answered. The service becomes
    /// ready.
    pub fn hear(&self) {
        self.heard.set_ready();
    }

    /// Returns the readiness of the service. The service becomes ready when the API server has
    /// answered and all objects were listed. If the cluster is unreachable, the service becomes
    /// ready later or never.
    pub fn heard(&self) -> Readiness {
        self.heard.clone()
    }

    /// Returns the current and future Snapshots.
    pub fn snapshots(&self) -> Snapshots<S> {
        Snapshots {
            posted: self.posted.subscribe(),
            settled: self.settled.clone(),
            heard: self.heard(),
            epoch: Epoch::begin(),
            following: None,
        }
    }
}

impl<S> Default for SnapshotCell<S> {
    fn default() -> Self {
        Self {
            posted: watch::Sender::new(None),
            settled: Readiness::pending(),
            heard: Readiness::pending(),
        }
    }
}

// === impl Snapshots ===

impl<S: Send + Sync + 'static> Snapshots<S> {
    /// Starts a task that watches a world and publishes Snapshots.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn following<F>(follow: impl FnOnce(SnapshotCell<S>) -> F) -> Self
    where
        F: Future<Output = Ended> + Send + 'static,
    {
        let cell = SnapshotCell::default();
        let snapshots = cell.snapshots();
        let following = tokio::spawn(follow(cell));
        Self {
            following: Some(Arc::new(AbortOnDropHandle::new(following))),
            ..snapshots
        }
    }

    /// Waits until all listing has ended, even if the API server did not answer. Also returns if
    /// the world ends.
    pub async fn settled(&self) {
        tokio::select! {
            () = self.settled.ready() => {}
            () = self.wait_for_end() => {}
        }
    }

    /// Waits until all listing has ended and the API server has answered. Also returns if the world
    /// ends.
    pub async fn heard(&self) {
        tokio::select! {
            () = self.heard.ready() => {}
            () = self.wait_for_end() => {}
        }
    }

    /// Waits until the world is no longer watched: its objects can no longer be watched, or the
    /// task has panicked.
    pub async fn wait_for_end(&self) {
        let mut posted = self.posted.clone();
        // The condition is never true, so this waits until the sender is dropped.
        let _ = posted.wait_for(|_| false).await;
    }

    /// Returns the current Snapshot. Returns None until the objects have been listed.
    pub fn current(&self) -> Option<Posted<S>> {
        self.posted.borrow().clone()
    }

    /// Processes a query with the current Snapshot.
    ///
    /// # Errors
    /// Returns an error if the request is invalid, if there is no Snapshot yet, or if `ask` fails.
    pub fn answer<Q, A, R: From<NotYet> + Into<Status>>(
        &self,
        question: Result<Q, R>,
        ask: impl FnOnce(&Q, &S) -> Result<A, R>,
    ) -> Result<A, Status> {
        let answered = question.and_then(|question| {
            let Posted { snapshot, .. } = self.current().ok_or(NotYet)?;
            ask(&question, &snapshot)
        });
        answered.map_err(Into::into)
    }
}

impl<S: Default + Send + Sync + 'static> Snapshots<S> {
    /// Returns the messages to a client of a watch: first the whole content, then each change.
    /// `since` returns the differences between a newer and an older Snapshot. For the first
    /// message, the older Snapshot is the default Snapshot.
    ///
    /// The world is watched while this stream exists.
    pub fn watch<C: Send, F: Fn(&S, &S) -> Vec<C> + Send>(
        &self,
        since: F,
    ) -> impl Stream<Item = Message<C>> + Send + use<S, C, F> {
        let mut known = Arc::<S>::default();
        self.watch_with(move |posted: Option<Posted<S>>| {
            let Posted { revision, snapshot } = posted?;
            let changes = since(&snapshot, &known);
            known = snapshot;
            Some(WatchUpdate {
                revision,
                changes,
                again: None,
            })
        })
    }

    /// Returns the messages to a client of a watch, computed by a custom comparison. The comparison
    /// gets None until the objects have been listed.
    pub fn watch_with<F: Compare<Option<Posted<S>>>>(
        &self,
        compare: F,
    ) -> impl Stream<Item = Message<F::Change>> + Send + use<S, F> {
        let following = self.following.clone();
        let messages = messages(self.posted.clone(), self.epoch.clone(), compare);
        messages.inspect(move |_| {
            let _ = &following;
        })
    }
}

impl<S> Clone for Snapshots<S> {
    fn clone(&self) -> Self {
        let Self {
            posted,
            settled,
            heard,
            epoch,
            following,
        } = self;
        Self {
            posted: posted.clone(),
            settled: settled.clone(),
            heard: heard.clone(),
            epoch: epoch.clone(),
            following: following.clone(),
        }
    }
}
