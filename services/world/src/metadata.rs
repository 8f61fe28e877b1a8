//! Watches the metadata of objects, as any user. Equal watches are shared.

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

/// Watches of metadata. Each user, kind and area has one watch, which runs while a caller holds it.
///
/// A watch never fails. If the watch is forbidden or the kind is not served, the state of its view
/// contains the reason. The watch starts as soon as possible.
#[derive(Debug)]
pub struct MetadataWatches {
    cluster: Cluster,
    notifier: Notifier,
    open: HashMap<MetadataOf, Weak<Open>>,
}

/// The objects that a watch observes, and the user whose permissions it uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MetadataOf {
    /// The user whose permissions the watch uses. None for the process itself.
    pub user: Option<User>,
    /// The kind.
    pub kind: ApiResource,
    /// The area of the objects. For a cluster-scoped kind, the area must not contain a namespace.
    pub area: Area,
}

/// A shared watch. It runs until this value and its clones are dropped.
#[derive(Debug, Clone)]
pub struct MetadataWatch(Arc<Open>);

/// The changes that one watch has observed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataChange {
    /// The user, kind and area of the watch.
    pub of: MetadataOf,
    /// True if all objects must be checked, because the state of the watch has changed or the
    /// history of events is incomplete.
    pub bears_on_all: bool,
    /// The objects that were added, deleted or modified. An object that was reported as deleted may
    /// still exist without the labels of the area. Read the object to check if it still exists.
    pub keys: BTreeSet<Key>,
}

#[derive(Debug)]
struct Open {
    of: MetadataOf,
    objects: RawObjects,
    subscription: Subscription,
    /// The version and the state at the last call that took the changes.
    seen: Mutex<(u64, State)>,
}

// === impl MetadataWatches ===

impl MetadataWatches {
    /// The timeouts and pauses of requests to API servers. There may be hundreds of forbidden
    /// watches, so each forbidden watch is retried only once a minute.
    pub const PACE: Pace = Pace {
        forbidden: Duration::from_secs(60),
        ..Pace::DEFAULT
    };

    /// Creates an empty set of watches. The watches use this client and may impersonate users.
    pub fn new(client: Client, pace: Pace) -> Self {
        Self {
            cluster: Cluster::of(client, pace),
            notifier: Notifier::default(),
            open: HashMap::new(),
        }
    }

    /// Returns the watch of these objects. Starts the watch if it does not exist yet. Call
    /// [`take_changes`](Self::take_changes) once before [`changed`](Self::changed) reports changes.
    ///
    /// # Errors
    /// Returns an error if a name of the user is invalid.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
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

    /// Waits until at least one watch has changes.
    ///
    /// # Errors
    /// Returns an error if the watches have ended.
    ///
    /// # Cancel safety
    /// Dropping the future early has no effect.
    pub async fn changed(&self) -> Result<(), Ended> {
        self.notifier.notified().await
    }

    /// Returns the changes since the last call. Watches without changes are left out.
    pub fn take_changes(&mut self) -> Vec<MetadataChange> {
        self.open.retain(|_, open| open.strong_count() > 0);
        let open = self.open.values().filter_map(Weak::upgrade);
        open.filter_map(|open| open.take_change()).collect()
    }
}

// === impl MetadataWatch ===

impl MetadataWatch {
    /// Returns the objects and the user for which the watch was created.
    pub fn of(&self) -> &MetadataOf {
        &self.0.of
    }

    /// Returns the current objects, with only metadata, and their state. The state contains
    /// [`Trouble::Forbidden`](crate::Trouble::Forbidden) if the user may not list the objects.
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
