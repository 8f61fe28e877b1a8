//! The objects of one kind, and what has changed among them.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_health::{Seen, Sight};
use portolan_world::{Fault, Key, Kind, Objects, Place, State, View};

use super::bell::{Bell, Rope};

/// The objects of a kind, as they were when they were looked at last.
///
/// A view is let go as soon as it is taken over: who holds one makes the world copy all its objects
/// at the next change.
#[derive(Debug)]
pub(super) struct Followed<K: Kind> {
    objects: Objects<K>,
    rope: Rope,
    state: State,
    known: BTreeMap<Key, Arc<K>>,
    /// What is wrong with objects that cannot be read as they should, or not at all.
    odd: BTreeMap<Key, String>,
}

/// What has changed among the objects of a kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// Whether all of them are as sure as they were, or less, or more.
    pub(super) is_other_state: bool,
    /// Those that came, went, or are not as they were.
    pub(super) keys: Vec<Key>,
}

// === impl Turn ===

impl Turn {
    pub(super) fn is_nothing(&self) -> bool {
        !self.is_other_state && self.keys.is_empty()
    }
}

// === impl Followed ===

impl<K: Kind> Followed<K> {
    /// Nothing is known before the first [`Followed::look`], which must come before the bell is
    /// waited for: it does not ring for what is there already.
    pub(super) fn of(objects: Objects<K>, bell: &Bell) -> Self {
        Self {
            rope: bell.rope(objects.clone()),
            objects,
            state: State::Pending,
            known: BTreeMap::new(),
            odd: BTreeMap::new(),
        }
    }

    /// Takes over what there is now.
    pub(super) fn look(&mut self) -> Turn {
        if !self.rope.was_pulled() {
            return Turn::default();
        }
        let View {
            state,
            objects,
            faults,
        } = self.objects.now();
        let mut keys = changed(&self.known, &objects);
        for key in &keys {
            match objects.get(key) {
                Some(object) => self.known.insert(key.clone(), object.clone()),
                None => self.known.remove(key),
            };
        }
        keys.append(&mut self.mark(&faults));
        // Trouble that changes its words is one trouble, and its first words are kept.
        let is_other_state = !is_same(&self.state, &state);
        if is_other_state {
            self.state = state;
        }
        Turn {
            is_other_state,
            keys,
        }
    }

    /// Whether the first answer is on its way.
    pub(super) fn is_pending(&self) -> bool {
        self.state == State::Pending
    }

    /// Why it is not known which objects there are, if there never was an answer.
    pub(super) fn unknown(&self) -> Option<String> {
        let kind = K::kind(&());
        match &self.state {
            State::Unknown { .. } => Some(format!("{kind}s are {}", self.state)),
            State::Pending | State::Synced | State::NotServed | State::Stale { .. } => None,
        }
    }

    /// How sure the objects are of which `is_meant` tells. Of one that was not read whole nothing
    /// may be concluded: what it lacks may well be there.
    pub(super) fn sight(&self, is_meant: impl Fn(&Key) -> bool) -> Sight {
        match &self.state {
            State::Synced | State::NotServed => {
                let odd = self.odd.iter().find(|(key, _)| is_meant(key));
                odd.map_or(Sight::Clear, |(_, why)| Sight::Dim(why.clone()))
            }
            State::Pending | State::Unknown { .. } | State::Stale { .. } => {
                Sight::Dim(self.state.to_string())
            }
        }
    }

    /// Objects with how sure they are.
    pub(super) fn seen<T>(
        &self,
        objects: impl Iterator<Item = T>,
        is_meant: impl Fn(&Key) -> bool,
    ) -> Seen<T> {
        Seen {
            objects: objects.collect(),
            sight: self.sight(is_meant),
        }
    }

    pub(super) fn object(&self, namespace: &str, name: &str) -> Option<&K> {
        self.known
            .get(&Key::new(namespace, name))
            .map(|found| &**found)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&Key, &K)> {
        self.known.iter().map(|(key, object)| (key, &**object))
    }

    pub(super) fn within(&self, namespace: &str) -> impl Iterator<Item = (&Key, &K)> {
        let from = self.known.range(Key::new(namespace, "")..);
        let those = from.take_while(move |(key, _)| *key.namespace == *namespace);
        those.map(|(key, object)| (key, &**object))
    }

    /// Every namespace that has one.
    pub(super) fn namespaces(&self) -> BTreeSet<Arc<str>> {
        self.known.keys().map(|key| key.namespace.clone()).collect()
    }

    /// Takes over what is wrong with objects, and tells what was not wrong before. Returns those of
    /// which something else is known now. What no object can be told of is a fault of every kind,
    /// and is left out here.
    fn mark(&mut self, faults: &[Fault]) -> Vec<Key> {
        let mut odd: BTreeMap<Key, String> = BTreeMap::new();
        for fault in faults {
            let (Place::Object(key)
            | Place::File {
                object: Some(key), ..
            }) = &fault.place
            else {
                continue;
            };
            odd.entry(key.clone()).or_insert_with(|| fault.to_string());
        }
        let is_news = |key: &&Key| odd.get(*key) != self.odd.get(*key);
        let news: BTreeSet<_> = odd.keys().chain(self.odd.keys()).filter(is_news).collect();
        let news: Vec<_> = news.into_iter().cloned().collect();
        for reason in news.iter().filter_map(|key| odd.get(key)) {
            tracing::warn!(kind = %K::kind(&()), reason, "an object is odd");
        }
        self.odd = odd;
        news
    }
}

/// Whether objects are as sure in both, since the same moment.
fn is_same(one: &State, other: &State) -> bool {
    let since = |state: &State| state.trouble().map(|(_, since)| since);
    std::mem::discriminant(one) == std::mem::discriminant(other) && since(one) == since(other)
}

/// The keys under which two maps do not have the very same object.
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
mod tests {
    use super::*;

    fn objects(names: &[(&str, &Arc<u8>)]) -> BTreeMap<Key, Arc<u8>> {
        let objects = names.iter();
        objects
            .map(|(name, object)| (Key::new("a", name), Arc::clone(object)))
            .collect()
    }

    #[test]
    fn changed_is_what_came_went_or_is_another_object() {
        let [same, old, new, gone, come] = [1, 2, 2, 4, 5].map(Arc::new);
        let was = objects(&[("a", &gone), ("b", &same), ("c", &old), ("e", &gone)]);
        let is = objects(&[("b", &same), ("c", &new), ("d", &come)]);
        let keys = changed(&was, &is);
        let names: Vec<_> = keys.iter().map(|key| &*key.name).collect();
        assert_eq!(names, ["a", "c", "d", "e"]);
        assert_eq!(changed(&is, &is), []);
    }
}
