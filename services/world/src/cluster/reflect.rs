//! Lists a kind, watches it, and begins again when that breaks.
//!
//! kube has a watcher that does the same. This one differs in three ways that a caller of kube's
//! cannot bring about: every request has a deadline of its own; bookmarks count as signs of life,
//! so that a frozen API server is told from a quiet one without asking; and a kind that is not
//! served is waited for and not asked for.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kube::api::WatchEvent;
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::ask::{Ask, Refused};
use super::item::Item;
use super::rest::Rest;
use crate::Kind;
use crate::shelf::{Load, Shelf};

/// How long nothing comes of a watch once all has come that happened before it was opened.
const QUIET: Duration = Duration::from_millis(300);

/// How long that may take. Something always happens to a kind that is busy.
const BUSY: Duration = Duration::from_secs(3);

/// Keeps the shelf as the API server has it.
pub(super) async fn reflect<K: Kind>(ask: Ask<K>, shelf: Arc<Shelf<K>>) -> Infallible {
    let mut rest = Rest::default();
    loop {
        let begun = Instant::now();
        match list(&ask, &shelf).await {
            Ok(version) => watch(&ask, &shelf, version, &mut rest).await,
            Err(Refused::NotServed) => {
                shelf.not_served();
                until_defined(&ask, &mut rest).await;
            }
            // The list took longer than the API server remembers.
            Err(Refused::Gone) => rest.after(begun).await,
            Err(Refused::Trouble(trouble)) => {
                shelf.fails(trouble);
                rest.after(begun).await;
            }
        }
    }
}

/// Puts all objects on the shelf and returns the version that they are of. Until the last page is
/// there, the shelf shows what it did.
async fn list<K: Kind>(ask: &Ask<K>, shelf: &Shelf<K>) -> Result<String, Refused> {
    let mut load = Load::default();
    let mut from = None;
    loop {
        let mut found = |json: &str| {
            let item = Item::of(json, shelf.kept());
            load.faults.extend(item.faults);
            if let Some(object) = item.object {
                load.objects.insert(item.key, Arc::new(object));
            }
        };
        let metadata = ask.list(from, &mut found).await?;
        from = metadata.continue_.filter(|from| !from.is_empty());
        if from.is_none() {
            shelf.replace(load);
            return Ok(metadata.resource_version.unwrap_or_default());
        }
    }
}

/// Follows the changes from `version` on, through any number of watches, until only a list can
/// tell how things are.
async fn watch<K: Kind>(ask: &Ask<K>, shelf: &Shelf<K>, mut version: String, rest: &mut Rest) {
    let mut is_behind = false;
    loop {
        let begun = Instant::now();
        let mut events = match ask.watch(&version).await {
            Ok(events) => events,
            Err(Refused::NotServed | Refused::Gone) => return rest.after(begun).await,
            Err(Refused::Trouble(trouble)) => {
                shelf.fails(trouble);
                is_behind = true;
                rest.after(begun).await;
                continue;
            }
        };
        let opened = Instant::now();
        loop {
            if !is_behind || opened.elapsed() > BUSY {
                is_behind = false;
                shelf.synced();
            }
            // What happened meanwhile comes first, and until it has come nothing is up to date.
            let next = match is_behind {
                true => timeout(QUIET, events.next()).await,
                false => Ok(events.next().await),
            };
            match next.map(|next| next.map(|event| take(shelf, event))) {
                Ok(Some(Some(newer))) => version = newer,
                Ok(Some(None)) => return rest.after(begun).await,
                Ok(None) => break,
                Err(_) => is_behind = false,
            }
        }
        // The end of a watch is no trouble unless the next cannot be opened.
        rest.unless_steady(begun).await;
    }
}

/// Takes an event over and returns the version that it makes; none if it is an error.
fn take<K: Kind>(shelf: &Shelf<K>, event: WatchEvent<Box<RawValue>>) -> Option<String> {
    let (json, is_there) = match event {
        WatchEvent::Added(json) | WatchEvent::Modified(json) => (json, true),
        WatchEvent::Deleted(json) => (json, false),
        WatchEvent::Bookmark(bookmark) => return Some(bookmark.metadata.resource_version),
        WatchEvent::Error(status) => {
            tracing::debug!(kind = %K::kind(&()), error = %status.message, "watch ended");
            return None;
        }
    };
    let Item {
        key,
        version,
        object,
        faults,
    } = Item::of(json.get(), shelf.kept());
    let version = version?;
    if is_there {
        shelf.put(key, object.map(Arc::new), faults);
    } else {
        shelf.put(key, None, Vec::new());
    }
    Some(version)
}

/// Waits until there is news of the CRD of the kind, or it is time to look anyway.
async fn until_defined<K: Kind>(ask: &Ask<K>, rest: &mut Rest) {
    let begun = Instant::now();
    let mut events = match ask.watch_definition().await {
        Ok(events) => events,
        Err(_) => return tokio::time::sleep(ask.pace().missing).await,
    };
    while let Some(event) = events.next().await {
        if let WatchEvent::Added(_) | WatchEvent::Modified(_) = event {
            break;
        }
    }
    // A definition is there a moment before its kind is served, and may stay refused for ever.
    rest.after(begun).await;
}
