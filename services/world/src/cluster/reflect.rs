//! Lists a kind, watches it, and starts again after errors.
//!
//! The reflector differs from kube's watcher in three ways that callers of kube cannot configure.
//! Every request has its own deadline. Bookmarks count as a sign of life, so a frozen API server is
//! detected without a request. A kind that is not served is waited for instead of requested.

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

/// The time without an event after which a watch that was just opened is up to date: by then, all
/// events from before its opening have come.
const QUIET: Duration = Duration::from_millis(300);

/// The longest wait for that. Something always happens to a kind that is busy.
const BUSY: Duration = Duration::from_secs(3);

/// The time after which an attempt counts as successful: the backoff starts from the beginning with
/// the next failure.
const STEADY: Duration = Duration::from_secs(10);

/// The divisor of the pauses of kube's backoff: ours last from a quarter of a second to ten
/// seconds.
const SHARE: u32 = 3;

/// Longer and longer rests, never the same for two clients.
#[derive(Default)]
struct Backoff(DefaultBackoff);

/// A receiver of the objects of a kind, as stored.
pub(super) trait Sink: Send + Sync + 'static {
    /// Objects of a list that has begun.
    type Batch: Default + Send;

    /// Adds an object of a list.
    fn add(&self, batch: &mut Self::Batch, json: &str);

    /// Replaces the objects with a complete list at that version.
    fn replace(&self, batch: Self::Batch, version: &str);

    /// Applies the object of an event, and returns its version. None if the object is invalid.
    fn put(&self, json: &str, is_there: bool) -> Option<String>;

    /// Records that nothing has changed up to a version.
    fn passed(&self, _version: &str) {}

    /// Marks the objects as synced.
    fn synced(&self);

    /// Marks the kind as not served.
    fn not_served(&self);

    /// Records a failure to observe the objects.
    fn fails(&self, trouble: Trouble);
}

/// Keeps the sink as the API server has it.
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
            // The list took longer than the API server remembers.
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

/// Lists all objects into the sink and returns their version. The sink shows its previous content
/// until the last page has arrived.
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

/// Follows the changes since `version` through any number of watches, until a new list is required.
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
            // What happened meanwhile comes first, and until it has come nothing is up to date.
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
        // The end of a watch is no trouble unless the next cannot be opened.
        backoff.unless_steady(begun).await;
    }
}

/// Returns the shortest time until the next request.
fn least(ask: &Ask, trouble: &Trouble) -> Duration {
    if let Trouble::Forbidden(_) = trouble {
        ask.pace().forbidden
    } else {
        Duration::ZERO
    }
}

/// Takes an event over and returns the version that it makes; none if it is an error.
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

/// Waits until there is news of the CRD of the kind, or it is time to look anyway.
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
    // A CRD is there a moment before its kind is served, and may stay refused for ever.
    backoff.after(begun).await;
}

// === impl Backoff ===

impl Backoff {
    /// Rests after that has failed which began at `begun`.
    async fn after(&mut self, begun: Instant) {
        if begun.elapsed() > STEADY {
            self.0.reset();
        }
        if let Some(pause) = self.0.next() {
            tokio::time::sleep(pause / SHARE).await;
        }
    }

    /// Rests only if that which began at `begun` ended early.
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
