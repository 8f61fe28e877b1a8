//! The objects of one kind, and their changes.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::notifier::{Notifier, Subscription};
use crate::{Area, FaultPlace, Key, Kind, Objects, State, View, World, WorldFault};

/// The objects of a kind in an area at the last update. Each update returns the objects that have
/// changed since the previous update.
///
/// `Followed` drops each view immediately after applying it. If a view still existed at the next
/// change, the world would have to copy the map of all objects.
#[derive(Debug)]
pub struct Followed<K: Kind> {
    objects: Objects<K>,
    subscription: Subscription,
    /// The objects of the kind in all areas, with a subscription to their changes, if the world is
    /// partial. None if the world is not partial.
    whole: Option<(Objects<K>, Subscription)>,
    is_left_out: bool,
    is_whole_pending: bool,
    /// True if the API server has ever responded about the kind.
    is_heard: bool,
    state: State,
    known: BTreeMap<Key, Arc<K>>,
    /// The faults of objects that cannot be read completely.
    odd: BTreeMap<Key, String>,
    /// The fault of a document that may be an object of any kind. None if there is no such
    /// document.
    unread: Option<String>,
}

/// The changes among the objects of a kind since the previous update.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// True if the state of the kind has changed, for example from current to outdated. This
    /// concerns all objects.
    pub is_other_state: bool,
    /// The objects that were added, deleted or modified.
    pub keys: Vec<Key>,
}

// === impl Turn ===

impl Turn {
    /// Returns true if nothing has changed.
    pub fn is_nothing(&self) -> bool {
        !self.is_other_state && self.keys.is_empty()
    }
}

// === impl Followed ===

impl<K: Kind> Followed<K> {
    /// Creates the value without objects. Call [`Followed::look`] once before you wait for the
    /// notifier, because the notifier does not report the initial state.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of(objects: Objects<K>, notifier: &Notifier) -> Self {
        Self {
            subscription: notifier.subscribe(objects.clone()),
            objects,
            whole: None,
            is_left_out: false,
            is_whole_pending: false,
            is_heard: false,
            state: State::Pending,
            known: BTreeMap::new(),
            odd: BTreeMap::new(),
            unread: None,
        }
    }

    /// Watches the objects of a kind in a world. If the world is partial and contains no object of
    /// the kind at all, the objects may have been left out. Then no conclusion may be drawn from a
    /// missing object.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn within_world(world: &impl World, area: Area, notifier: &Notifier) -> Self {
        let whole = world.is_partial().then(|| {
            let whole = world.objects::<K>();
            let subscription = notifier.subscribe(whole.clone());
            (whole, subscription)
        });
        Self {
            is_whole_pending: whole.is_some(),
            whole,
            ..Self::of(world.objects_in(area), notifier)
        }
    }

    /// Applies the current view and returns the differences from the previous view.
    pub fn look(&mut self) -> Turn {
        let mut turn = self.look_at_area();
        turn.is_other_state |= self.look_at_whole();
        turn
    }

    /// Checks if a partial world contains objects of the kind. Returns true if the result differs
    /// from the previous result.
    fn look_at_whole(&mut self) -> bool {
        let Some((whole, subscription)) = &mut self.whole else {
            return false;
        };
        // The check also runs if the subscription has not reported a change yet. The report may
        // arrive later than the change, and the objects of the area must not be judged with an old
        // result.
        let _ = subscription.take_changed();
        let View { state, objects, .. } = whole.now();
        self.is_whole_pending = state == State::Pending;
        let is_left_out = state == State::Synced && objects.is_empty();
        std::mem::replace(&mut self.is_left_out, is_left_out) != is_left_out
    }

    fn look_at_area(&mut self) -> Turn {
        if !self.subscription.take_changed() {
            return Turn::default();
        }
        let View {
            state,
            objects,
            faults,
        } = self.objects.now();
        self.is_heard |= state.is_heard();
        let mut keys = changed(&self.known, &objects);
        for key in &keys {
            match objects.get(key) {
                Some(object) => self.known.insert(key.clone(), object.clone()),
                None => self.known.remove(key),
            };
        }
        keys.append(&mut self.mark(&faults));
        // If only the message of an error changes, it is the same error, and its first message is
        // kept.
        let mut is_other_state = !self.state.is_as_sure_as(&state);
        if is_other_state {
            self.state = state;
        }
        let unread = faults.iter().find(|fault| key_of(fault).is_none());
        let unread = unread.map(ToString::to_string);
        is_other_state |= unread != self.unread;
        self.unread = unread;
        Turn {
            is_other_state,
            keys,
        }
    }

    /// Returns the state of the objects. While an error lasts, the state keeps the first message of
    /// the error.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns true until the first response, which may be an error.
    pub fn is_pending(&self) -> bool {
        self.state == State::Pending || self.is_whole_pending
    }

    /// Returns true if the API server has ever responded about the kind. See [`State::is_heard`].
    pub fn is_heard(&self) -> bool {
        self.is_heard
    }

    /// Returns the reason why the objects are unknown, if the API server has never responded.
    /// Returns None otherwise.
    pub fn unknown(&self) -> Option<String> {
        let kind = K::kind(&());
        match &self.state {
            State::Unknown { .. } => Some(format!("{kind}s are {}", self.state)),
            State::Pending | State::Synced | State::NotServed | State::Stale { .. } => None,
        }
    }

    /// Returns the reason for doubt about all objects: known objects may be outdated, or more
    /// objects may exist. Returns None if there is no doubt.
    pub fn doubt_of_all(&self) -> Option<String> {
        match &self.state {
            State::Synced if self.is_left_out => {
                Some(format!("the files have no {}", K::kind(&())))
            }
            State::Synced | State::NotServed => None,
            State::Pending | State::Unknown { .. } | State::Stale { .. } => {
                Some(self.state.to_string())
            }
        }
    }

    /// Returns the fault of an object that cannot be read completely. Returns None if the object
    /// has no fault. If an object has a fault, no conclusion may be drawn from its missing fields.
    pub fn fault(&self, key: &Key) -> Option<&str> {
        self.odd.get(key).map(String::as_str)
    }

    /// Returns the fault of a document that cannot be identified and may be an object of any kind.
    /// Returns None if there is no such document.
    pub fn unread(&self) -> Option<&str> {
        self.unread.as_deref()
    }

    /// Returns the objects with faults, each with its fault.
    pub fn faults(&self) -> impl Iterator<Item = (&Key, &str)> {
        self.odd.iter().map(|(key, why)| (key, why.as_str()))
    }

    /// Returns the reason for doubt about the objects that `is_meant` selects. This is the doubt
    /// about all objects or the fault of a selected object. Returns None if there is no doubt.
    pub fn doubt(&self, is_meant: impl Fn(&Key) -> bool) -> Option<String> {
        self.doubt_of_all().or_else(|| {
            let odd = self.odd.iter().find(|(key, _)| is_meant(key));
            odd.map(|(_, why)| why.clone())
        })
    }

    /// Returns the object with this namespace and name.
    pub fn object(&self, namespace: &str, name: &str) -> Option<&K> {
        self.known
            .get(&Key::new(namespace, name))
            .map(|found| &**found)
    }

    /// Returns all objects in the order of their keys.
    pub fn all(&self) -> impl Iterator<Item = (&Key, &K)> {
        self.known.iter().map(|(key, object)| (key, &**object))
    }

    /// Returns the objects of one namespace, sorted by key.
    pub fn within(&self, namespace: &str) -> impl Iterator<Item = (&Key, &K)> {
        let from = self.known.range(Key::new(namespace, "")..);
        let those = from.take_while(move |(key, _)| *key.namespace == *namespace);
        those.map(|(key, object)| (key, &**object))
    }

    /// Returns the object with this key, for callers that keep it.
    pub fn shared(&self, key: &Key) -> Option<&Arc<K>> {
        self.known.get(key)
    }

    /// Returns the objects of one namespace, sorted by key, for callers that keep them.
    pub fn shared_within(&self, namespace: &str) -> impl Iterator<Item = &Arc<K>> {
        let from = self.known.range(Key::new(namespace, "")..);
        let those = from.take_while(move |(key, _)| *key.namespace == *namespace);
        those.map(|(_, object)| object)
    }

    /// Returns the fault of the first object in a namespace that has a fault. Returns None if no
    /// object in the namespace has a fault.
    pub fn fault_within(&self, namespace: &str) -> Option<&str> {
        let mut from = self.odd.range(Key::new(namespace, "")..);
        let (_, why) = from
            .next()
            .filter(|(key, _)| *key.namespace == *namespace)?;
        Some(why)
    }

    /// Returns the namespaces that contain objects.
    pub fn namespaces(&self) -> BTreeSet<Arc<str>> {
        self.known.keys().map(|key| key.namespace.clone()).collect()
    }

    /// Records the faults of objects and logs new faults. Returns the objects whose faults have
    /// changed. Ignores faults that name no object.
    fn mark(&mut self, faults: &[WorldFault]) -> Vec<Key> {
        let mut odd: BTreeMap<Key, String> = BTreeMap::new();
        for (key, fault) in faults.iter().filter_map(|it| Some((key_of(it)?, it))) {
            odd.entry(key.clone()).or_insert_with(|| fault.to_string());
        }
        let is_news = |key: &&Key| odd.get(*key) != self.odd.get(*key);
        let news: BTreeSet<_> = odd.keys().chain(self.odd.keys()).filter(is_news).collect();
        let news: Vec<_> = news.into_iter().cloned().collect();
        for reason in news.iter().filter_map(|key| odd.get(key)) {
            tracing::warn!(kind = %K::kind(&()), reason, "an object does not match the schema of its kind");
        }
        self.odd = odd;
        news
    }
}

/// Returns the object of a fault. Returns None if the fault names no object.
fn key_of(fault: &WorldFault) -> Option<&Key> {
    match &fault.place {
        FaultPlace::Object(key) => Some(key),
        FaultPlace::File { object, .. } => object.as_ref(),
    }
}

/// Returns the keys whose values differ between the two maps, or exist in only one map.
fn changed<K>(was: &BTreeMap<Key, Arc<K>>, is: &BTreeMap<Key, Arc<K>>) -> Vec<Key> {
    let (mut was, mut is) = (was.iter().peekable(), is.iter().peekable());
    let mut changed = Vec::new();
    loop {
        let order = match (was.peek(), is.peek()) {
            (None, None) => return changed,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.cmp(b),
        };
        let old = was.next_if(|_| order.is_le());
        let new = is.next_if(|_| order.is_ge());
        match (old, new) {
            (Some((_, old)), Some((_, new))) if Arc::ptr_eq(old, new) => {}
            (_, Some((key, _))) | (Some((key, _)), None) => changed.push(key.clone()),
            (None, None) => {}
        }
    }
}

#[cfg(test)]
mod tests;
