//! Where Snapshots are posted.

use std::sync::Arc;

use portolan_shell::Readiness;
use tokio::sync::watch;

use crate::snapshot::Snapshot;

/// The current Snapshot; none before the first look at the objects.
pub(crate) type Posted = Option<Arc<Snapshot>>;

/// The current Snapshot, and the only way to change it.
#[derive(Debug)]
pub(crate) struct Board {
    posted: watch::Sender<Posted>,
    settled: Readiness,
}

// === impl Board ===

impl Board {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            posted: watch::Sender::new(None),
            settled: Readiness::pending(),
        }
    }

    /// The Snapshots to come, and the current one.
    pub(crate) fn watch(&self) -> watch::Receiver<Posted> {
        self.posted.subscribe()
    }

    /// Turns ready when everything has been looked at.
    pub(crate) fn settled(&self) -> Readiness {
        self.settled.clone()
    }

    /// The next Snapshot, whose revision is made here. Whoever posts has looked at everything.
    pub(crate) fn post(&self, mut snapshot: Snapshot) {
        self.posted.send_modify(|posted| {
            let before = posted.as_ref().map_or(0, |before| before.revision);
            snapshot.revision = before.wrapping_add(1);
            *posted = Some(Arc::new(snapshot));
        });
        self.settled.set_ready();
    }
}
