//! The notification of a task that waits for any change.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use crate::{Ended, Watched};

/// Notifies its subscribers of any change of objects that are [`Followed`](crate::Followed) with
/// it, of all kinds and areas. Clones share the subscriptions.
#[derive(Debug, Clone, Default)]
pub struct Notifier(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    changed: Notify,
    has_ended: AtomicBool,
}

/// Notifies of each change of some objects, until this is dropped.
#[derive(Debug)]
pub(crate) struct Subscription {
    has_changed: Arc<AtomicBool>,
    _waiting: AbortOnDropHandle<()>,
}

// === impl Notifier ===

impl Notifier {
    /// Notifies at each change of `objects`.
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

    /// Waits until something has changed since this returned last. However much that is, it
    /// notifies once.
    ///
    /// # Errors
    /// Returns an error if a world has ended.
    ///
    /// # Cancel safety
    /// Dropped early, it counts as never called.
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
    /// Returns true if they have changed since the last call. The first call returns true.
    pub(crate) fn take_changed(&self) -> bool {
        self.has_changed.swap(false, Ordering::AcqRel)
    }
}
