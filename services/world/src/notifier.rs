//! Who waits for a change of anything.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use crate::{Ended, Kind, Objects};

/// Rings when anything changes that is [`Followed`](crate::Followed) with it, of whatever kinds and
/// areas. Clones are the same bell.
#[derive(Debug, Clone, Default)]
pub struct Bell(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    rung: Notify,
    has_ended: AtomicBool,
}

/// Pulls the bell when objects change, until this is dropped.
#[derive(Debug)]
pub(crate) struct Rope {
    is_pulled: Arc<AtomicBool>,
    _pulling: AbortOnDropHandle<()>,
}

// === impl Bell ===

impl Bell {
    /// Pulls the bell at each change of `objects`.
    pub(crate) fn rope<K: Kind>(&self, mut objects: Objects<K>) -> Rope {
        let is_pulled = Arc::new(AtomicBool::new(true));
        let (bell, flag) = (self.clone(), is_pulled.clone());
        let pulling = async move {
            while objects.changed().await.is_ok() {
                flag.store(true, Ordering::Release);
                bell.0.rung.notify_one();
            }
            bell.0.has_ended.store(true, Ordering::Release);
            bell.0.rung.notify_one();
        };
        Rope {
            is_pulled,
            _pulling: AbortOnDropHandle::new(tokio::spawn(pulling)),
        }
    }

    /// Waits until something has changed since this returned last. However much that is, it rings
    /// once.
    ///
    /// # Errors
    /// A world has ended.
    ///
    /// # Cancel safety
    /// Dropped early, it counts as never called.
    pub async fn rung(&self) -> Result<(), Ended> {
        self.0.rung.notified().await;
        match self.0.has_ended.load(Ordering::Acquire) {
            true => Err(Ended),
            false => Ok(()),
        }
    }
}

// === impl Rope ===

impl Rope {
    /// Whether it was pulled since the last time that this was asked; at first it is.
    pub(crate) fn was_pulled(&self) -> bool {
        self.is_pulled.swap(false, Ordering::AcqRel)
    }
}
