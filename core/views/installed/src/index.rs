//! The index of all Installed objects. It applies one change after the other.
//!
//! ```text
//! change -> originals -> rebuilt operators of a namespace -> dirty pairs (namespace, name) -> events
//! ```
//!
//! A change of a ClusterServiceVersion, a Subscription or an OperatorGroup rebuilds the operators
//! that are installed in its namespace. A change of an Operator or a ResourceManifest rebuilds the
//! operators in the namespace into which it installs. The index then updates the Installed objects
//! in all namespaces that these operators watch or watched before. A change of a Namespace updates
//! only the objects in this namespace. The cost of a change does not depend on the number of other
//! namespaces.

mod originals;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use self::originals::Originals;
use crate::event::{Batch, Event};
use crate::installed::BETWEEN;
use crate::original::{Namespace, Targets};
use crate::snapshot::Snapshot;
use crate::{Installed, Key, Operator, Original, Resource, ResourceVersion, Revision};

/// The index of all Installed objects. It applies changes of the original objects, from which
/// Installed objects are derived.
#[derive(Debug)]
pub struct Index {
    originals: Originals,
    /// The operators, each with the namespaces that it watches.
    operators: BTreeMap<Key, Watching>,
    /// For each name of an operator, the namespaces in which operators with this name are
    /// installed.
    homes: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    /// The source lists that have not been received yet.
    missing: BTreeSet<Resource>,
    snapshot: Snapshot,
}

/// An operator and the namespaces that it watches.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Watching {
    operator: Arc<Operator>,
    targets: Targets,
}

/// The parts of the index that a change affects.
#[derive(Debug, Default)]
struct Dirty {
    /// For each namespace, the names of the operators whose Installed objects may have changed.
    names: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    /// The size in bytes of the texts that no operator uses any longer.
    retired: usize,
}

// === impl Index ===

impl Index {
    /// Creates an empty index. `resources` are the source lists that it will receive.
    pub fn new(resources: impl IntoIterator<Item = Resource>) -> Self {
        let missing: BTreeSet<_> = resources.into_iter().collect();
        let version = missing.iter().map(|each| (*each, Revision::from(0)));
        Self {
            snapshot: Snapshot::at(version.collect()),
            originals: Originals::default(),
            operators: BTreeMap::new(),
            homes: BTreeMap::new(),
            missing,
        }
    }

    /// Returns the source lists that have not been received yet. While there are such lists, the
    /// caller must not report that an object does not exist.
    pub fn missing(&self) -> impl Iterator<Item = Resource> {
        self.missing.iter().copied()
    }

    /// Returns the current state of all Installed objects.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Replaces a source list by its complete state at a revision. Objects that are missing in the
    /// new state are deleted.
    pub fn replace(
        &mut self,
        resource: Resource,
        originals: impl IntoIterator<Item = Original>,
        revision: &Revision,
    ) -> Batch {
        self.missing.remove(&resource);
        let mut changes: BTreeMap<Key, Option<Original>> = self
            .originals
            .keys(resource)
            .into_iter()
            .map(|key| (key, None))
            .collect();
        for original in originals {
            debug_assert_eq!(original.resource(), resource, "an original of another list");
            changes.insert(original.key(), Some(original));
        }
        self.take_over(resource, changes, revision)
    }

    /// Adds or updates an original object.
    pub fn put(&mut self, original: Original, revision: &Revision) -> Batch {
        let resource = original.resource();
        self.apply(resource, [(original.key(), Some(original))], revision)
    }

    /// Deletes an original object.
    pub fn delete(&mut self, resource: Resource, key: Key, revision: &Revision) -> Batch {
        self.apply(resource, [(key, None)], revision)
    }

    /// Applies all changes of a source list at one revision. A change has the new state of an
    /// object, or None if the object was deleted.
    ///
    /// If the changes were applied one after the other, several states of the index would have the
    /// same version.
    pub fn apply(
        &mut self,
        resource: Resource,
        changes: impl IntoIterator<Item = (Key, Option<Original>)>,
        revision: &Revision,
    ) -> Batch {
        self.take_over(resource, changes.into_iter().collect(), revision)
    }

    /// Records that a source list has no changes up to this revision.
    pub fn pass(&mut self, resource: Resource, revision: &Revision) {
        self.snapshot.version_mut().advance(resource, revision);
    }

    fn take_over(
        &mut self,
        resource: Resource,
        changes: BTreeMap<Key, Option<Original>>,
        revision: &Revision,
    ) -> Batch {
        self.pass(resource, revision);
        let dirty = match resource {
            Resource::Namespaces => self.take_over_namespaces(changes),
            Resource::ClusterServiceVersions
            | Resource::OperatorGroups
            | Resource::Subscriptions => {
                let keys = self.set(resource, changes);
                self.make_all_anew(keys.into_iter().map(|key| key.namespace).collect())
            }
            Resource::Operators | Resource::ResourceManifests => {
                let keys = self.set(resource, changes);
                let homes = self.originals.plan_anew(resource, &keys);
                self.make_all_anew(homes)
            }
        };
        let before = Arc::new(self.snapshot.version().just_before(resource));
        let events = self.look_at(dirty.names, &before);
        let version = self.snapshot.version().clone();
        let reached = version.of(resource).unwrap_or(revision).clone();
        let happened = (events, dirty.retired);
        Batch::of((resource, reached), version, before, happened)
    }

    fn take_over_namespaces(&mut self, changes: BTreeMap<Key, Option<Original>>) -> Dirty {
        let mut dirty = Dirty::default();
        for (key, original) in changes {
            let was = self.originals.namespaces.get(&key.name).cloned();
            self.originals
                .set(Resource::Namespaces, key.clone(), original);
            let is = self.originals.namespaces.get(&key.name);
            if was.as_ref() == is {
                continue;
            }
            let is_watched = |it: Option<&Arc<Namespace>>, targets: &Targets| {
                it.is_some_and(|namespace| targets.have(namespace))
            };
            for (operator, Watching { targets, .. }) in &self.operators {
                if is_watched(was.as_ref(), targets) != is_watched(is, targets) {
                    dirty.mark(&key.name, &operator.name);
                }
            }
        }
        dirty
    }

    /// Stores the new states of original objects. Returns their keys.
    fn set(&mut self, resource: Resource, changes: BTreeMap<Key, Option<Original>>) -> Vec<Key> {
        let keys = changes.keys().cloned().collect();
        for (key, original) in changes {
            self.originals.set(resource, key, original);
        }
        keys
    }

    /// Rebuilds the operators that are installed in these namespaces.
    fn make_all_anew(&mut self, homes: BTreeSet<Arc<str>>) -> Dirty {
        let mut dirty = Dirty::default();
        for home in homes {
            self.make_anew(&home, &mut dirty);
        }
        dirty
    }

    /// Rebuilds the operators that are installed in this namespace.
    fn make_anew(&mut self, home: &Arc<str>, dirty: &mut Dirty) {
        let mut made = self.originals.operators_in(home);
        let known = originals::range(&self.operators, home);
        let known: Vec<_> = known.map(|(key, _)| key.clone()).collect();
        let keys: BTreeSet<_> = known.into_iter().chain(made.keys().cloned()).collect();
        for key in keys {
            let is = made.remove(&key).map(|(operator, targets)| Watching {
                operator: Arc::new(operator),
                targets,
            });
            let was = match &is {
                Some(is) if self.operators.get(&key) == Some(is) => continue,
                Some(is) => self.operators.insert(key.clone(), is.clone()),
                None => self.operators.remove(&key),
            };
            self.note_home(&key, is.is_some());
            let kept = is.as_ref().map(|is| &*is.operator);
            let retired = was.as_ref().map(|was| was.operator.bytes_beside(kept));
            dirty.retired += retired.unwrap_or_default();
            for Watching { targets, .. } in was.iter().chain(&is) {
                self.originals
                    .watched(targets)
                    .for_each(|namespace| dirty.mark(namespace, &key.name));
            }
        }
    }

    fn note_home(&mut self, key: &Key, is_there: bool) {
        let homes = self.homes.entry(key.name.clone()).or_default();
        if is_there {
            homes.insert(key.namespace.clone());
        } else {
            homes.remove(&key.namespace);
            if homes.is_empty() {
                self.homes.remove(&key.name);
            }
        }
    }

    fn look_at(
        &mut self,
        dirty: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
        version: &Arc<ResourceVersion>,
    ) -> Vec<Event> {
        let mut events = Vec::new();
        for (namespace, names) in dirty {
            for name in names {
                let is = self.named(&namespace, &name, version);
                self.snapshot.set(&namespace, &name, is, &mut events);
            }
        }
        events
    }

    /// Returns the Installed objects in a namespace for all operators with one name. The first
    /// object has the name without a suffix. It is the object of the operator that is installed in
    /// this namespace. If there is no such operator, it is the object of the operator with the
    /// lowest [`Operator::standing`].
    fn named(
        &self,
        namespace: &Arc<str>,
        name: &Arc<str>,
        version: &Arc<ResourceVersion>,
    ) -> Vec<Installed> {
        let Some(there) = self.originals.namespaces.get(namespace) else {
            return Vec::new();
        };
        let homes = self.homes.get(name).into_iter().flatten();
        let known = homes.filter_map(|home| {
            let name = name.clone();
            let namespace = home.clone();
            self.operators.get(&Key { namespace, name })
        });
        let watching = known.filter(|watching| watching.targets.have(there));
        let mut operators: Vec<_> = watching.map(|watching| &watching.operator).collect();
        operators.sort_by_key(|operator| {
            let home = &operator.key().namespace;
            (home != namespace, operator.standing(), home)
        });
        let as_installed = |(rank, operator): (usize, &&Arc<Operator>)| Installed {
            namespace: namespace.clone(),
            name: match rank {
                0 => name.clone(),
                _ => format!("{name}{BETWEEN}{}", operator.key().namespace).into(),
            },
            operator: (*operator).clone(),
            same_name_in: others(&operators, operator),
            version: version.clone(),
        };
        operators.iter().enumerate().map(as_installed).collect()
    }
}

/// Returns the namespaces in which the other operators are installed, separated by commas.
fn others(operators: &[&Arc<Operator>], one: &Arc<Operator>) -> Arc<str> {
    let homes = operators.iter().map(|operator| &operator.key().namespace);
    let mut others: Vec<&str> = homes
        .filter(|home| **home != one.key().namespace)
        .map(AsRef::as_ref)
        .collect();
    others.sort_unstable();
    others.join(",").into()
}

// === impl Dirty ===

impl Dirty {
    fn mark(&mut self, namespace: &Arc<str>, name: &Arc<str>) {
        if let Some(names) = self.names.get_mut(namespace) {
            names.insert(name.clone());
        } else {
            self.names.insert(namespace.clone(), [name.clone()].into());
        }
    }
}
