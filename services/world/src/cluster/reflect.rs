//! The reflector lists a kind, watches it, and starts again after errors.
//!
//! The reflector differs from kube's watcher in three points that kube does not let callers
//! configure. First, every request has a deadline. Second, bookmarks show that a watch is active,
//! so a broken watch is detected without additional requests. Third, if a kind is not served, the
//! reflector waits for the CRD instead of repeating requests.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kube::api::WatchEvent;
use kube::runtime::utils::Backoff as _;
use kube::runtime::watcher::DefaultBackoff;
use serde_json::value::RawValue;
use tokio::time::{sleep, timeout};

use super::ask::{Ask, Refused};
use super::item::Item;
use crate::raw::{RawBatch, RawStore};
use crate::store::{Batch, Store};
use crate::{Kind, Trouble};

/// The time without an event after which a reopened watch counts as current. By then, all events
/// that happened before the watch was opened have arrived.
const QUIET: Duration = Duration::from_millis(300);

/// The maximum time to wait for such a pause between events. A busy kind may never have such a
/// pause.
const BUSY: Duration = Duration::from_secs(3);

/// The minimum duration of a successful attempt. After a successful attempt, the next failure
/// starts with the shortest pause.
const STEADY: Duration = Duration::from_secs(10);

/// The divisor for the pauses of kube's backoff. The resulting pauses are between 0.25 and 10
/// seconds.
const SHARE: u32 = 3;

/// Growing, random pauses between attempts. Random pauses prevent that all clients retry at the
/// same time.
#[derive(Default)]
struct Backoff(DefaultBackoff);

/// Receives the objects of a kind, as the API server sends them.
pub(super) trait Sink: Send + Sync + 'static {
    /// The objects of a list that is being read.
    type Batch: Default + Send;

    /// Adds an object to the list that is being read.
    fn add(&self, batch: &mut Self::Batch, json: &str);

    /// Replaces all objects with a complete list. `version` is the version of the list.
    fn replace(&self, batch: Self::Batch, version: &str);

    /// Applies the object of an event. `is_there` is false if the object was deleted. Returns the
    /// version of the object. Returns None if the object is invalid.
    fn put(&self, json: &str, is_there: bool) -> Option<String>;

    /// Records that no object has changed up to this version.
    fn passed(&self, _version: &str) {}

    /// Marks the objects as current.
    fn synced(&self);

    /// Marks the kind as not served.
    fn not_served(&self);

    /// Records the reason why the objects cannot be observed now.
    fn fails(&self, trouble: Trouble);
}

/// Updates the sink to the state of the API server, forever.
pub(super) async fn reflect<S: Sink>(mut ask: Ask, sink: Arc<S>) -> Infallible {
    let mut backoff = Backoff::default();
    loop {
        let begun = Instant::now();
        match list(&ask, &*sink).await {
            Ok(version) => watch(&ask, &*sink, version, &mut backoff).await,
            Err(Refused::NotServed) => {
                sink.not_served();
                until_defined(&ask, &mut backoff).await;
            }
            // The list took longer than the API server keeps its state, so it must start again.
            Err(Refused::Gone) => backoff.after(begun).await,
            Err(Refused::Trouble(trouble)) => {
                if let (Trouble::Forbidden(_), Some(narrower)) = (&trouble, ask.narrowed()) {
                    ask = narrower;
                    continue;
                }
                let least = least(&ask, &trouble);
                sink.fails(trouble);
                tokio::join!(backoff.after(begun), sleep(least));
            }
        }
    }
}

/// Reads the list of all objects into the sink and returns the version of the list. The sink keeps
/// its previous content until the last page has arrived.
async fn list<S: Sink>(ask: &Ask, sink: &S) -> Result<String, Refused> {
    let mut batch = S::Batch::default();
    let mut from = None;
    loop {
        let metadata = ask
            .list(from, &mut |json| sink.add(&mut batch, json))
            .await?;
        from = metadata.continue_.filter(|from| !from.is_empty());
        if from.is_none() {
            let version = metadata.resource_version.unwrap_or_default();
            sink.replace(batch, &version);
            return Ok(version);
        }
    }
}

/// Applies the changes after `version`. Opens a new watch whenever a watch ends. Returns when a new
/// list is required.
async fn watch<S: Sink>(ask: &Ask, sink: &S, mut version: String, backoff: &mut Backoff) {
    let mut is_behind = false;
    loop {
        let begun = Instant::now();
        let mut events = match ask.watch(&version).await {
            Ok(events) => events,
            Err(Refused::NotServed | Refused::Gone) => return backoff.after(begun).await,
            Err(Refused::Trouble(trouble)) => {
                let least = least(ask, &trouble);
                sink.fails(trouble);
                is_behind = true;
                tokio::join!(backoff.after(begun), sleep(least));
                continue;
            }
        };
        let opened = Instant::now();
        loop {
            if !is_behind || opened.elapsed() > BUSY {
                is_behind = false;
                sink.synced();
            }
            // After an interruption, the changes that happened in the meantime arrive first. The
            // objects are not current until these changes have arrived.
            let next = if is_behind {
                timeout(QUIET, events.next()).await
            } else {
                Ok(events.next().await)
            };
            match next.map(|next| next.map(|event| take(ask, sink, event))) {
                Ok(Some(Some(newer))) => version = newer,
                Ok(Some(None)) => return backoff.after(begun).await,
                Ok(None) => break,
                Err(_) => is_behind = false,
            }
        }
        // API servers end every watch after some time. This is a failure only if the next watch
        // cannot be opened.
        backoff.unless_steady(begun).await;
    }
}

/// Returns the minimum pause before the next request.
fn least(ask: &Ask, trouble: &Trouble) -> Duration {
    if let Trouble::Forbidden(_) = trouble {
        ask.pace().forbidden
    } else {
        Duration::ZERO
    }
}

/// Applies an event. Returns the version after the event. Returns None if the event is an error.
fn take(ask: &Ask, sink: &impl Sink, event: WatchEvent<Box<RawValue>>) -> Option<String> {
    match event {
        WatchEvent::Added(json) | WatchEvent::Modified(json) => sink.put(json.get(), true),
        WatchEvent::Deleted(json) => sink.put(json.get(), false),
        WatchEvent::Bookmark(bookmark) => {
            let version = bookmark.metadata.resource_version;
            sink.passed(&version);
            Some(version)
        }
        WatchEvent::Error(status) => {
            tracing::debug!(kind = ask.kind(), error = %status.message, "watch ended");
            None
        }
    }
}

/// Waits until the CRD of the kind has changed, or until the kind must be checked again.
async fn until_defined(ask: &Ask, backoff: &mut Backoff) {
    let begun = Instant::now();
    let mut events = match ask.watch_crd().await {
        Ok(events) => events,
        Err(_) => return tokio::time::sleep(ask.pace().missing).await,
    };
    while let Some(event) = events.next().await {
        if let WatchEvent::Added(_) | WatchEvent::Modified(_) = event {
            break;
        }
    }
    // A CRD exists for a short time before its kind is served. If the names in the CRD are not
    // accepted, the kind is never served. The pause prevents too many requests in both cases.
    backoff.after(begun).await;
}

// === impl Backoff ===

impl Backoff {
    /// Waits after a failed attempt that began at `begun`.
    async fn after(&mut self, begun: Instant) {
        if begun.elapsed() > STEADY {
            self.0.reset();
        }
        if let Some(pause) = self.0.next() {
            tokio::time::sleep(pause / SHARE).await;
        }
    }

    /// Waits only if the attempt that began at `begun` had a short duration.
    async fn unless_steady(&mut self, begun: Instant) {
        if begun.elapsed() > STEADY {
            self.0.reset();
        } else {
            self.after(begun).await;
        }
    }
}

// === impl Store ===

impl<K: Kind> Sink for Store<K> {
    type Batch = Batch<K>;

    fn add(&self, batch: &mut Batch<K>, json: &str) {
        let item = Item::of(json, self.kept());
        batch.faults.extend(item.faults);
        if let Some(object) = item.object {
            batch.objects.insert(item.key, Arc::new(object));
        }
    }

    fn replace(&self, batch: Batch<K>, _version: &str) {
        self.replace(batch);
    }

    fn put(&self, json: &str, is_there: bool) -> Option<String> {
        let Item {
            key,
            version,
            object,
            faults,
        } = Item::of(json, self.kept());
        let version = version?;
        if is_there {
            self.put(key, object.map(Arc::new), faults);
        } else {
            self.put(key, None, Vec::new());
        }
        Some(version)
    }

    fn synced(&self) {
        self.synced();
    }

    fn not_served(&self) {
        self.not_served();
    }

    fn fails(&self, trouble: Trouble) {
        self.fails(trouble);
    }
}

// === impl RawStore ===

impl Sink for RawStore {
    type Batch = RawBatch;

    fn add(&self, batch: &mut RawBatch, json: &str) {
        self.add(batch, json);
    }

    fn replace(&self, batch: RawBatch, version: &str) {
        self.replace(batch, Some(version));
    }

    fn put(&self, json: &str, is_there: bool) -> Option<String> {
        self.put(json, is_there)
    }

    fn passed(&self, version: &str) {
        self.passed(version);
    }

    fn synced(&self) {
        self.synced();
    }

    fn not_served(&self) {
        self.not_served();
    }

    fn fails(&self, trouble: Trouble) {
        self.fails(trouble);
    }
}
