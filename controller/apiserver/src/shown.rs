//! Keeps the current Installed objects and the recent changes.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use portolan_core_installed::apiserver::Status;
use portolan_core_installed::{Batch, History, Limits, NotKnown, ResourceVersion, Snapshot};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

/// The maximum time for which a request waits for a version that this replica has not reached yet.
const PATIENCE: Duration = Duration::from_secs(3);

/// The limits of the history of changes. Watches that are slow or that continue after an
/// interruption need this history. API servers keep changes for five minutes.
const KEPT: Limits = Limits {
    age: Duration::from_secs(10 * 60),
    bytes: 64 << 20,
};

/// The current Installed objects and the recent changes. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    held: Arc<RwLock<ShownState>>,
    /// Notifies receivers of each new state.
    turns: watch::Sender<()>,
}

#[derive(Debug)]
struct ShownState {
    snapshot: Snapshot,
    /// The version that each list has reached. It may be newer than the version of the snapshot,
    /// because versions without changes are published later.
    known: ResourceVersion,
    history: History,
    /// The time at which the history starts.
    began: Instant,
    /// The reason why the Installed objects are not known yet. None if they are known.
    missing: Option<String>,
}

/// The Installed objects at one time.
#[derive(Debug, Clone)]
pub(crate) struct Now {
    pub(crate) snapshot: Snapshot,
    /// The position in the history.
    pub(crate) place: u64,
}

/// The batches of changes after a position in the history.
#[derive(Debug)]
pub(crate) struct Behind {
    pub(crate) batches: Vec<Arc<Batch>>,
    /// The position after the batches.
    pub(crate) place: u64,
    /// The version after the batches.
    pub(crate) version: ResourceVersion,
}

// === impl Shown ===

impl Shown {
    /// Creates a state in which the Installed objects are not known yet.
    pub(crate) fn pending() -> Self {
        let held = ShownState {
            snapshot: Snapshot::default(),
            known: ResourceVersion::default(),
            history: History::since(ResourceVersion::default(), KEPT),
            began: Instant::now(),
            missing: Some("the cluster has not been read yet".to_owned()),
        };
        Self {
            held: Arc::new(RwLock::new(held)),
            turns: watch::Sender::new(()),
        }
    }

    /// Sets the first Installed objects after all lists were read. The history starts here.
    pub(crate) fn begin(&self, snapshot: Snapshot, known: ResourceVersion) {
        self.write(|held| {
            held.history = History::since(snapshot.version().clone(), KEPT);
            held.snapshot = snapshot;
            held.known = known;
            held.missing = None;
        });
    }

    /// Replaces the Installed objects, and adds the changes to the history.
    pub(crate) fn advance(&self, snapshot: Snapshot, known: ResourceVersion, batches: Vec<Batch>) {
        self.write(|held| {
            let at = held.began.elapsed();
            batches.into_iter().for_each(|it| held.history.push(it, at));
            held.snapshot = snapshot;
            held.known = known;
        });
    }

    /// Sets the reason why the Installed objects are not known yet.
    pub(crate) fn misses(&self, why: String) {
        self.write(|held| held.missing = Some(why));
    }

    /// Returns true if all lists were read.
    pub(crate) fn is_complete(&self) -> bool {
        self.read().missing.is_none()
    }

    /// Waits until all lists were read.
    pub(crate) async fn complete(&self) {
        let mut turns = self.turns.subscribe();
        // `self` holds the sender, so the wait cannot fail.
        let _ = turns.wait_for(|()| self.is_complete()).await;
    }

    pub(crate) fn turns(&self) -> watch::Receiver<()> {
        self.turns.subscribe()
    }

    /// Waits until the wanted version is reached, and returns the current state. Fails if this
    /// takes too long.
    pub(crate) async fn at(&self, wanted: Option<&ResourceVersion>) -> Result<Now, Status> {
        let mut turns = self.turns.subscribe();
        let looked = timeout(PATIENCE, async {
            loop {
                match self.read().at(wanted) {
                    Err(Some(status)) => return Err(status),
                    Err(None) => {}
                    Ok(now) => return Ok(now),
                }
                // `self` holds the sender, so the wait cannot fail.
                let _ = turns.changed().await;
            }
        });
        match looked.await {
            Ok(looked) => looked,
            Err(_) => {
                let held = self.read();
                let wanted = wanted.cloned().unwrap_or_default();
                Err(held.not_reached(&wanted))
            }
        }
    }

    /// Returns the changes in a namespace since a version. None as the namespace selects all
    /// namespaces.
    pub(crate) async fn since(
        &self,
        version: &ResourceVersion,
        namespace: Option<&str>,
    ) -> Result<Behind, Status> {
        self.at(Some(version)).await?;
        let held = self.read();
        let batches = held.history.batches_since(version, &held.known, namespace);
        let batches = batches.map_err(|error| match error {
            NotKnown::Expired { .. } => Status::expired(error),
            NotKnown::Ahead { .. } => Status::not_reached(error),
        })?;
        Ok(held.behind(batches))
    }

    /// Returns the batches of changes after a position in the history. Returns None if the history
    /// no longer contains all of them.
    pub(crate) fn behind(&self, place: u64) -> Option<Behind> {
        let held = self.read();
        let batches = held.history.batches_behind(place)?;
        Some(held.behind(batches))
    }

    fn read(&self) -> RwLockReadGuard<'_, ShownState> {
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, change: impl FnOnce(&mut ShownState)) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        change(&mut held);
        drop(held);
        self.turns.send_replace(());
    }
}

// === impl ShownState ===

impl ShownState {
    /// Returns the current state. If the wanted version is not reached yet, returns an error
    /// without a Status.
    fn at(&self, wanted: Option<&ResourceVersion>) -> Result<Now, Option<Status>> {
        if let Some(why) = &self.missing {
            return Err(Some(Status::unavailable(why)));
        }
        if let Some(wanted) = wanted {
            if !wanted.has_resources_of(&self.known) {
                let why = format!(
                    "resourceVersion {wanted} belongs to other lists than {}; list again",
                    self.known
                );
                return Err(Some(Status::expired(why)));
            }
            if wanted.ahead_of(&self.known).next().is_some() {
                return Err(None);
            }
        }
        Ok(Now {
            snapshot: self.snapshot.clone(),
            place: self.history.place(),
        })
    }

    fn not_reached(&self, wanted: &ResourceVersion) -> Status {
        Status::not_reached(format!("{wanted}, current: {}", self.known))
    }

    fn behind<'a>(&self, batches: impl Iterator<Item = &'a Arc<Batch>>) -> Behind {
        Behind {
            batches: batches.cloned().collect(),
            place: self.history.place(),
            version: self.snapshot.version().clone(),
        }
    }
}
