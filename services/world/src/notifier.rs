//! Notifies a task that waits for changes of several kinds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use crate::{Ended, Watched};

/// Notifies a waiting task of the changes of all objects that are [`Followed`](crate::Followed)
/// with this notifier, of any kind and in any area. Clones share the subscriptions.
#[derive(Debug, Clone, Default)]
pub struct Notifier(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    changed: Notify,
    has_ended: AtomicBool,
}

/// A subscription to the changes of the objects of one kind. It ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Subscription {
    has_changed: Arc<AtomicBool>,
    _waiting: AbortOnDropHandle<()>,
}

// === impl Notifier ===

impl Notifier {
    /// Subscribes to the changes of `objects`.
    pub(crate) fn subscribe<V>(&self, mut objects: Watched<V>) -> Subscription
    where
        V: Clone + Send + Sync + 'static,
    {
        let has_changed = Arc::new(AtomicBool::new(true));
        let (notifier, flag) = (self.clone(), has_changed.clone());
        let waiting = async move {
            while objects.changed().await.is_ok() {
                flag.store(true, Ordering::Release);
                notifier.0.changed.notify_one();
            }
            notifier.0.has_ended.store(true, Ordering::Release);
            notifier.0.changed.notify_one();
        };
        Subscription {
            has_changed,
            _waiting: AbortOnDropHandle::new(tokio::spawn(waiting)),
        }
    }

    /// Waits until an object has changed since this method returned last. Returns once for any
    /// number of changes.
    ///
    /// # Errors
    /// Returns an error if a world has ended.
    ///
    /// # Cancel safety
    /// Dropping the future early has no effect.
    pub async fn notified(&self) -> Result<(), Ended> {
        self.0.changed.notified().await;
        if self.0.has_ended.load(Ordering::Acquire) {
            Err(Ended)
        } else {
            Ok(())
        }
    }
}

// === impl Subscription ===

impl Subscription {
    /// Returns true if the objects have changed since the last call. The first call returns true.
    pub(crate) fn take_changed(&self) -> bool {
        self.has_changed.swap(false, Ordering::AcqRel)
    }
}
