//! Watches of metadata, as any user. Equal watches are shared.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use http::header::InvalidHeaderValue;
use kube::Client;
use kube::core::ApiResource;

use crate::notifier::{Notifier, Subscription};
use crate::{Area, Cluster, Ended, Key, Pace, RawObjects, RawView, State, User};

/// Watches of metadata: one a user, kind and area, from the first who asks for it to the last who
/// holds it.
///
/// A watch never fails. If it is forbidden, or the kind is not served, the state of its view
/// contains the reason, and it starts as soon as possible.
#[derive(Debug)]
pub struct MetadataWatches {
    cluster: Cluster,
    notifier: Notifier,
    open: HashMap<MetadataOf, Weak<Open>>,
}

/// The objects of a watch, and the user in whose name they are watched.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MetadataOf {
    /// In whose name; None is the process itself.
    pub user: Option<User>,
    /// The kind.
    pub kind: ApiResource,
    /// The area of the objects. For a cluster-scoped kind it must name no namespace.
    pub area: Area,
}

/// A watch, as long as this or a clone of it is held.
#[derive(Debug, Clone)]
pub struct MetadataWatch(Arc<Open>);

/// The changes in one watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataChange {
    /// In which.
    pub of: MetadataOf,
    /// True if all objects must be checked: their certainty has changed, or the history is
    /// incomplete.
    pub bears_on_all: bool,
    /// The objects that were added, deleted or modified. A deleted object may have left the area by
    /// its labels: only a read shows if it still exists.
    pub keys: BTreeSet<Key>,
}

#[derive(Debug)]
struct Open {
    of: MetadataOf,
    objects: RawObjects,
    subscription: Subscription,
    /// The version of the last update, and its certainty.
    seen: Mutex<(u64, State)>,
}

// === impl MetadataWatches ===

impl MetadataWatches {
    /// The timeouts and pauses of requests to API servers. There may be hundreds of watches that
    /// may not be opened, so these are tried once a minute.
    pub const PACE: Pace = Pace {
        forbidden: Duration::from_secs(60),
        ..Pace::DEFAULT
    };

    /// Creates empty watches, for metadata that this client or the users that it impersonates may
    /// see.
    pub fn new(client: Client, pace: Pace) -> Self {
        Self {
            cluster: Cluster::of(client, pace),
            notifier: Notifier::default(),
            open: HashMap::new(),
        }
    }

    /// Returns the watch, and starts it if it is not shared yet. Call
    /// [`take_changes`](Self::take_changes) once before [`changed`](Self::changed) reports changes.
    ///
    /// # Errors
    /// Returns an error if a name of the user is invalid.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    pub fn watch(&mut self, of: MetadataOf) -> Result<MetadataWatch, InvalidHeaderValue> {
        self.open.retain(|_, open| open.strong_count() > 0);
        if let Some(open) = self.open.get(&of).and_then(Weak::upgrade) {
            return Ok(MetadataWatch(open));
        }
        let MetadataOf { user, kind, area } = &of;
        let objects = self.cluster.metadata(kind, area.clone(), user.as_ref())?;
        let open = Arc::new(Open {
            subscription: self.notifier.subscribe(objects.clone()),
            objects,
            of: of.clone(),
            seen: Mutex::default(),
        });
        self.open.insert(of, Arc::downgrade(&open));
        Ok(MetadataWatch(open))
    }

    /// Waits until there are changes to apply.
    ///
    /// # Errors
    /// Returns an error if the watches have ended.
    ///
    /// # Cancel safety
    /// Dropped early, it counts as never called.
    pub async fn changed(&self) -> Result<(), Ended> {
        self.notifier.notified().await
    }

    /// Returns the changes since the last call, of each watch that has any.
    pub fn take_changes(&mut self) -> Vec<MetadataChange> {
        self.open.retain(|_, open| open.strong_count() > 0);
        let open = self.open.values().filter_map(Weak::upgrade);
        open.filter_map(|open| open.take_change()).collect()
    }
}

// === impl MetadataWatch ===

impl MetadataWatch {
    /// Returns the objects that are watched, and the user in whose name.
    pub fn of(&self) -> &MetadataOf {
        &self.0.of
    }

    /// Returns the current objects, with metadata only, and their certainty: the state has
    /// [`Trouble::Forbidden`](crate::Trouble::Forbidden) if the user cannot see them.
    pub fn now(&self) -> RawView {
        self.0.objects.views.borrow().clone()
    }
}

// === impl Open ===

impl Open {
    fn take_change(&self) -> Option<MetadataChange> {
        if !self.subscription.take_changed() {
            return None;
        }
        let view = self.objects.views.borrow();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (version, state) = std::mem::replace(&mut *seen, (view.version, view.state.clone()));
        let events = view.since(version);
        let bears_on_all = !state.is_as_sure_as(&view.state) || events.is_err();
        let keys: BTreeSet<_> = events
            .into_iter()
            .flatten()
            .map(|event| event.object.key.clone())
            .collect();
        (bears_on_all || !keys.is_empty()).then(|| MetadataChange {
            of: self.of.clone(),
            bears_on_all,
            keys,
        })
    }
}
