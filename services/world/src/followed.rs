//! The objects of one kind, and their changes.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::notifier::{Notifier, Subscription};
use crate::{Area, FaultPlace, Key, Kind, Objects, State, View, World, WorldFault};

/// The objects of a kind in an area at the last update, for callers that need the objects that have
/// changed since then.
///
/// `Followed` drops each view immediately after applying it, because the world must copy all
/// objects at the next change while a view is held.
#[derive(Debug)]
pub struct Followed<K: Kind> {
    objects: Objects<K>,
    subscription: Subscription,
    /// The objects of the kind in the whole world and a subscription to their changes, if the world
    /// is partial. None otherwise.
    whole: Option<(Objects<K>, Subscription)>,
    is_left_out: bool,
    is_whole_pending: bool,
    /// True if the API server has ever responded.
    is_heard: bool,
    state: State,
    known: BTreeMap<Key, Arc<K>>,
    /// The faults of objects that cannot be read, or not completely.
    odd: BTreeMap<Key, String>,
    /// The fault of a document that may be an object of any kind. None if absent.
    unread: Option<String>,
}

/// The changes among the objects of a kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// True if the certainty of all objects has changed.
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
    /// Starts without objects. Call [`Followed::look`] once before you wait for the notifier,
    /// because the notifier does not report the initial state.
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

    /// Follows the objects in a world. If the world is partial and contains no object of the kind,
    /// the objects count as omitted. Then no object counts as missing.
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

    /// Returns true if the objects count as omitted now and did not before, or the reverse.
    fn look_at_whole(&mut self) -> bool {
        let Some((whole, subscription)) = &mut self.whole else {
            return false;
        };
        // This is always checked, even if the subscription has not reported a change yet: the
        // report may arrive later than the change, and the objects of the area must not be judged
        // without this fact.
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
        // If only the message of an error changes, the error is the same, and its first message is
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

    /// Returns if the objects are current. During an error, the message stays the same as at its
    /// beginning.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns true before the first answer.
    pub fn is_pending(&self) -> bool {
        self.state == State::Pending || self.is_whole_pending
    }

    /// Returns true if the API server has ever responded. See [`State::is_heard`].
    pub fn is_heard(&self) -> bool {
        self.is_heard
    }

    /// Returns the reason why the objects are unknown, if the API server has never answered.
    /// Returns None otherwise.
    pub fn unknown(&self) -> Option<String> {
        let kind = K::kind(&());
        match &self.state {
            State::Unknown { .. } => Some(format!("{kind}s are {}", self.state)),
            State::Pending | State::Synced | State::NotServed | State::Stale { .. } => None,
        }
    }

    /// Returns the reason why the objects are uncertain: known objects may be outdated, or more
    /// objects may exist. Returns None if they are certain.
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

    /// Returns the fault of an object that cannot be read completely. Returns None if there is no
    /// fault. If there is a fault, missing fields of the object prove nothing.
    pub fn fault(&self, key: &Key) -> Option<&str> {
        self.odd.get(key).map(String::as_str)
    }

    /// Returns the fault of a document that cannot be identified and may be an object of any kind.
    /// Returns None if there is no such document.
    pub fn unread(&self) -> Option<&str> {
        self.unread.as_deref()
    }

    /// Returns all objects with faults, each with its fault.
    pub fn faults(&self) -> impl Iterator<Item = (&Key, &str)> {
        self.odd.iter().map(|(key, why)| (key, why.as_str()))
    }

    /// Returns the reason why the objects that `is_meant` selects are uncertain: all objects are
    /// uncertain, or a selected object has a fault. None if they are certain.
    pub fn doubt(&self, is_meant: impl Fn(&Key) -> bool) -> Option<String> {
        self.doubt_of_all().or_else(|| {
            let odd = self.odd.iter().find(|(key, _)| is_meant(key));
            odd.map(|(_, why)| why.clone())
        })
    }

    /// Returns the object with these names.
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

    /// Returns the shared object with these names.
    pub fn shared(&self, key: &Key) -> Option<&Arc<K>> {
        self.known.get(key)
    }

    /// Returns the shared objects of one namespace, sorted by key.
    pub fn shared_within(&self, namespace: &str) -> impl Iterator<Item = &Arc<K>> {
        let from = self.known.range(Key::new(namespace, "")..);
        let those = from.take_while(move |(key, _)| *key.namespace == *namespace);
        those.map(|(_, object)| object)
    }

    /// Returns the fault of the first object in a namespace that has a fault. Returns None if no
    /// object has one.
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
    /// changed. Skips faults without an object.
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

/// Returns the object of a fault. Returns None if it is unknown.
fn key_of(fault: &WorldFault) -> Option<&Key> {
    match &fault.place {
        FaultPlace::Object(key) => Some(key),
        FaultPlace::File { object, .. } => object.as_ref(),
    }
}

/// Returns the keys whose objects are not shared by the two maps.
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
