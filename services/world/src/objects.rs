//! The objects that a caller has requested from a world.

use std::any::Any;
use std::sync::Arc;

use thiserror::Error;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{RawView, State, View};

/// The objects of a kind. They are watched while this value exists.
pub type Objects<K> = Watched<View<K>>;
/// The whole objects of a kind, as the API server or the files contain them. They are watched while
/// this value exists.
pub type RawObjects = Watched<RawView>;

/// The newest view of objects, and a way to wait for newer views. Each clone is notified of every
/// change.
#[derive(Debug, Clone)]
pub struct Watched<V> {
    pub(crate) views: watch::Receiver<V>,
    ended: CancellationToken,
    /// Keeps the watch open. The watch ends when the last clone of this value is dropped.
    _open: Arc<dyn Any + Send + Sync>,
}

/// The error that the objects are no longer watched, so there will be no newer view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the objects are no longer watched")]
pub struct Ended;

// === impl Watched ===

impl<V: Clone> Watched<V> {
    /// Creates objects for another implementation of a world. The world ends when the sender of the
    /// views is dropped. `open` is dropped when the objects are no longer used.
    pub fn from_views(views: watch::Receiver<V>, open: impl Any + Send + Sync) -> Self {
        Self::of(views, CancellationToken::new(), Arc::new(open))
    }

    pub(crate) fn of(
        views: watch::Receiver<V>,
        ended: CancellationToken,
        open: Arc<dyn Any + Send + Sync>,
    ) -> Self {
        Self {
            views,
            ended,
            _open: open,
        }
    }

    /// Returns the newest view.
    pub fn now(&mut self) -> V {
        self.views.borrow_and_update().clone()
    }

    /// Waits until there is a newer view than the view that was read last. One view may contain
    /// several changes. The newest view is never missed.
    ///
    /// # Errors
    /// Returns an error if the objects are no longer watched.
    ///
    /// # Cancel safety
    /// Dropping the future early has no effect.
    pub async fn changed(&mut self) -> Result<(), Ended> {
        tokio::select! {
            biased;
            changed = self.views.changed() => changed.map_err(|_| Ended),
            () = self.ended.cancelled() => Err(Ended),
        }
    }

    /// Waits for a view that satisfies a condition, starting with the current view.
    ///
    /// # Errors
    /// Returns an error if the objects are no longer watched.
    pub async fn until(&mut self, is_wanted: impl Fn(&V) -> bool) -> Result<V, Ended> {
        loop {
            let view = self.now();
            if is_wanted(&view) {
                return Ok(view);
            }
            self.changed().await?;
        }
    }
}

impl<K: Clone> Watched<View<K>> {
    /// Waits for the first response of the source, which may be an error. Returns the view after
    /// this response.
    ///
    /// # Errors
    /// Returns an error if the objects are no longer watched.
    pub async fn known(&mut self) -> Result<View<K>, Ended> {
        self.until(|view| view.state != State::Pending).await
    }
}
