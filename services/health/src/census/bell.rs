//! Who waits for a change of anything.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use portolan_world::{Ended, Kind, Objects};
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

/// Rings when anything changes that has a rope of it. Clones are the same bell.
#[derive(Debug, Clone, Default)]
pub(super) struct Bell(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    rung: Notify,
    has_ended: AtomicBool,
}

/// Pulls the bell when objects change, until this is dropped.
#[derive(Debug)]
pub(super) struct Rope {
    is_pulled: Arc<AtomicBool>,
    _pulling: AbortOnDropHandle<()>,
}

// === impl Bell ===

impl Bell {
    /// Pulls the bell at each change of `objects`.
    pub(super) fn rope<K: Kind>(&self, mut objects: Objects<K>) -> Rope {
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
    pub(super) async fn rung(&self) -> Result<(), Ended> {
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
    pub(super) fn was_pulled(&self) -> bool {
        self.is_pulled.swap(false, Ordering::AcqRel)
    }
}
