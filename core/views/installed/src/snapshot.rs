//! The snapshot: all Installed objects at one version.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use crate::event::Event;
use crate::installed::BETWEEN;
use crate::{Installed, ResourceVersion};

/// The Installed objects at one version. A snapshot never changes. Cloning is cheap, because
/// snapshots share unchanged parts.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    version: ResourceVersion,
    namespaces: Arc<BTreeMap<Arc<str>, Arc<ByName>>>,
}

type ByName = BTreeMap<Arc<str>, Installed>;

// === impl Snapshot ===

impl Snapshot {
    pub(crate) fn at(version: ResourceVersion) -> Self {
        Self {
            version,
            namespaces: Arc::default(),
        }
    }

    /// Returns the version of the snapshot.
    pub fn version(&self) -> &ResourceVersion {
        &self.version
    }

    pub(crate) fn version_mut(&mut self) -> &mut ResourceVersion {
        &mut self.version
    }

    /// Returns the Installed with this namespace and name.
    pub fn get(&self, namespace: &str, name: &str) -> Option<&Installed> {
        self.namespaces.get(namespace)?.get(name)
    }

    /// Returns all objects, sorted by namespace and name.
    pub fn all(&self) -> impl Iterator<Item = &Installed> {
        self.namespaces.values().flat_map(|names| names.values())
    }

    /// Returns the objects in a namespace, sorted by name.
    pub fn in_namespace(&self, namespace: &str) -> impl Iterator<Item = &Installed> {
        let names = self.namespaces.get(namespace);
        names.into_iter().flat_map(|names| names.values())
    }

    /// Returns the objects after this namespace and name, sorted by namespace and name. The object
    /// with this name may have been deleted.
    pub fn behind(&self, namespace: &str, name: &str) -> impl Iterator<Item = &Installed> {
        let here = self.namespaces.get(namespace).into_iter();
        let behind = (Bound::Excluded(name), Bound::Unbounded);
        let here = here.flat_map(move |names| names.range::<str, _>(behind));
        let later = (Bound::Excluded(namespace), Bound::Unbounded);
        let later = self.namespaces.range::<str, _>(later);
        let later = later.flat_map(|(_, names)| names.iter());
        here.chain(later).map(|(_, installed)| installed)
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.namespaces.values().map(|names| names.len()).sum()
    }

    /// Returns true if there are no objects.
    pub fn is_empty(&self) -> bool {
        self.namespaces.is_empty()
    }

    /// Replaces the Installed objects in a namespace for all operators with one name. Adds an event
    /// for each change. An unchanged object keeps its version.
    pub(crate) fn set(
        &mut self,
        namespace: &Arc<str>,
        name: &Arc<str>,
        are: Vec<Installed>,
        events: &mut Vec<Event>,
    ) {
        let mut were = self.of_name(namespace, name);
        let mut set = Vec::new();
        for is in are {
            match were.remove(&is.name) {
                Some(was) if was.is_like(&is) => continue,
                Some(was) => events.push(Event::Modified {
                    was,
                    is: is.clone(),
                }),
                None => events.push(Event::Added(is.clone())),
            }
            set.push(is);
        }
        if set.is_empty() && were.is_empty() {
            return;
        }
        let namespaces = Arc::make_mut(&mut self.namespaces);
        let names = Arc::make_mut(namespaces.entry(namespace.clone()).or_default());
        for gone in were.into_values() {
            names.remove(&gone.name);
            events.push(Event::Deleted(gone));
        }
        names.extend(set.into_iter().map(|is| (is.name.clone(), is)));
        if names.is_empty() {
            namespaces.remove(namespace);
        }
    }

    /// Returns the Installed objects in a namespace for all operators with one name.
    fn of_name(&self, namespace: &str, name: &Arc<str>) -> ByName {
        let Some(names) = self.namespaces.get(namespace) else {
            return BTreeMap::new();
        };
        let first = names.get_key_value(name);
        let mut start = name.to_string();
        start.push(BETWEEN);
        let renamed = names.range::<str, _>((Bound::Excluded(&*start), Bound::Unbounded));
        let renamed = renamed.take_while(|(key, _)| key.starts_with(&*start));
        let all = first.into_iter().chain(renamed);
        all.map(|(key, is)| (key.clone(), is.clone())).collect()
    }
}
