//! Collects the objects of one kind.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kube::core::SelectorExt as _;

use super::documents::Object;
use crate::key::key_of;
use crate::projection::KeptFields;
use crate::raw::{RawBatch, RawObject, RawStore};
use crate::store::{Batch, Store};
use crate::{Area, FaultPlace, Key, Kind, Trouble, WorldFault};

/// A store of any kind that is filled from files.
pub(super) trait Gather: Send + Sync {
    fn gatherer(self: Arc<Self>) -> Box<dyn Gatherer>;
}

/// Collects the objects of one kind and area, and publishes them together.
pub(super) trait Gatherer: Send {
    /// Returns true if this gatherer collects objects of this kind.
    fn is_of_kind(&self, group: &str, kind: &str) -> bool;
    /// Returns true if this gatherer collects only metadata.
    fn is_metadata_only(&self) -> bool;
    /// Returns the namespace if this gatherer collects the objects of a single namespace.
    fn namespace(&self) -> Option<&str>;
    fn wants(&self, object: &Object) -> bool;
    /// Returns true if this gatherer has collected no objects and no faults.
    fn is_empty(&self) -> bool;
    fn take(&mut self, file: &Path, line: u64, object: Object);
    /// Publishes the collected objects, together with these faults of documents whose kind is
    /// unknown.
    fn show(self: Box<Self>, faults: &[WorldFault]);
    fn fail(self: Box<Self>, trouble: Trouble);
    /// Publishes that the cluster did not serve the kind.
    fn not_served(self: Box<Self>);
}

struct Gathering<K> {
    store: Arc<Store<K>>,
    gathered: Gathered<K>,
}

/// The collected objects of one kind, with their faults.
pub(super) struct Gathered<K> {
    pub(super) batch: Batch<K>,
    kept: KeptFields,
    places: Places,
}

/// The file and line of each object. If two objects have the same name, the first object is used.
#[derive(Default)]
struct Places(BTreeMap<Key, (PathBuf, u64)>);

impl<K: Kind> Gather for Store<K> {
    fn gatherer(self: Arc<Self>) -> Box<dyn Gatherer> {
        Box::new(Gathering {
            gathered: Gathered::of(self.kept().clone()),
            store: self,
        })
    }
}

impl<K: Kind> Gatherer for Gathering<K> {
    fn is_of_kind(&self, group: &str, kind: &str) -> bool {
        is_kind::<K>(group, kind)
    }

    fn is_metadata_only(&self) -> bool {
        K::METADATA_ONLY
    }

    fn namespace(&self) -> Option<&str> {
        self.store.area().in_namespace()
    }

    fn wants(&self, object: &Object) -> bool {
        is_of::<K>(object, self.store.area())
    }

    fn is_empty(&self) -> bool {
        let Batch { objects, faults } = &self.gathered.batch;
        objects.is_empty() && faults.is_empty()
    }

    fn take(&mut self, file: &Path, line: u64, object: Object) {
        self.gathered.take(file, line, object);
    }

    fn show(self: Box<Self>, faults: &[WorldFault]) {
        let Self { store, gathered } = *self;
        store.replace(gathered.with(faults));
    }

    fn fail(self: Box<Self>, trouble: Trouble) {
        self.store.fails(trouble);
    }

    fn not_served(self: Box<Self>) {
        self.store.not_served();
    }
}

/// Collects the whole objects of one kind and area.
struct RawGathering {
    store: Arc<RawStore>,
    batch: RawBatch,
    places: Places,
}

impl Gather for RawStore {
    fn gatherer(self: Arc<Self>) -> Box<dyn Gatherer> {
        Box::new(RawGathering {
            store: self,
            batch: RawBatch::default(),
            places: Places::default(),
        })
    }
}

impl Gatherer for RawGathering {
    fn is_of_kind(&self, group: &str, kind: &str) -> bool {
        let wanted = self.store.kind();
        wanted.group == group && wanted.kind == kind
    }

    fn is_metadata_only(&self) -> bool {
        false
    }

    fn namespace(&self) -> Option<&str> {
        self.store.area().in_namespace()
    }

    fn wants(&self, object: &Object) -> bool {
        let area = self.store.area();
        self.is_of_kind(&object.group, &object.kind)
            && area.has((object.namespace(), object.name()), &object.labels())
    }

    fn is_empty(&self) -> bool {
        let RawBatch { objects, faults } = &self.batch;
        objects.is_empty() && faults.is_empty()
    }

    fn take(&mut self, file: &Path, line: u64, object: Object) {
        let kind = self.store.kind();
        let parsed = of_version(&object.version, &kind.version).and_then(|()| {
            let parsed = RawObject::parse(kind, &object.value.to_string());
            parsed.map_err(|error| error.to_string())
        });
        let placed = parsed.and_then(|object| {
            self.places.add(&object.key, file, line)?;
            Ok(object)
        });
        match placed {
            Ok(object) => {
                let object = Arc::new(object);
                self.batch.objects.insert(object.key.clone(), object);
            }
            Err(why) => self.batch.faults.push(fault(file, line, why)),
        }
    }

    fn show(self: Box<Self>, faults: &[WorldFault]) {
        let Self {
            store, mut batch, ..
        } = *self;
        batch.faults.extend_from_slice(faults);
        batch.faults.sort();
        store.replace(batch, None);
    }

    fn fail(self: Box<Self>, trouble: Trouble) {
        self.store.fails(trouble);
    }

    fn not_served(self: Box<Self>) {
        self.store.not_served();
    }
}

/// Returns true if the object has this kind and is in this area. Other objects are skipped with
/// their faults.
pub(super) fn is_of<K: Kind>(object: &Object, area: &Area) -> bool {
    if !is_kind::<K>(&object.group, &object.kind) {
        return false;
    }
    let labels = object.labels();
    area.has((object.namespace(), object.name()), &labels) && K::selector().matches(&labels)
}

fn is_kind<K: Kind>(group: &str, kind: &str) -> bool {
    K::group(&()) == group && K::kind(&()) == kind
}

impl<K: Kind> Gathered<K> {
    pub(super) fn of(kept: KeptFields) -> Self {
        Self {
            batch: Batch::default(),
            kept,
            places: Places::default(),
        }
    }

    pub(super) fn take(&mut self, file: &Path, line: u64, object: Object) {
        let Object { version, value, .. } = object;
        let place = |object| FaultPlace::File {
            file: file.to_owned(),
            line,
            object,
        };
        if let Err(why) = of_version(&version, &K::version(&())) {
            return self.fault(place(None), why);
        }
        let (mut object, faults) = match portolan_core_olm::read_value::<K>(value) {
            Ok(read) => read,
            Err(error) => return self.fault(place(None), error.to_string()),
        };
        self.kept.prune(&mut object);
        let key = key_of(object.meta());
        if !key.name.is_empty() && !object.is_wanted() {
            return;
        }
        if let Err(why) = self.places.add(&key, file, line) {
            // The object is valid, but another object with the same name occurred before, so the
            // fault names no object.
            return self.fault(place(None), why);
        }
        for fault in faults {
            self.fault(place(Some(key.clone())), fault.to_string());
        }
        self.batch.objects.insert(key, Arc::new(object));
    }

    /// Returns the collected objects, together with these faults of documents whose kind is
    /// unknown.
    pub(super) fn with(self, faults: &[WorldFault]) -> Batch<K> {
        let Self { mut batch, .. } = self;
        batch.faults.extend_from_slice(faults);
        batch.faults.sort();
        batch
    }

    fn fault(&mut self, place: FaultPlace, why: String) {
        self.batch.faults.push(WorldFault { place, why });
    }
}

// === impl Places ===

impl Places {
    /// Records the location of an object. Returns an error if the name is empty or has occurred
    /// before.
    fn add(&mut self, key: &Key, file: &Path, line: u64) -> Result<(), String> {
        if key.name.is_empty() {
            return Err("it has no name".to_owned());
        }
        match self.0.entry(key.clone()) {
            Entry::Occupied(first) => {
                let (file, line) = first.get();
                let file = file.display();
                Err(format!(
                    "{key}: the object is already in {file}:{line}; the first object is used"
                ))
            }
            Entry::Vacant(entry) => {
                entry.insert((file.to_owned(), line));
                Ok(())
            }
        }
    }
}

fn of_version(version: &str, wanted: &str) -> Result<(), String> {
    if version == wanted {
        return Ok(());
    }
    Err(format!(
        "its version is {version}; only {wanted} is supported"
    ))
}

fn fault(file: &Path, line: u64, why: String) -> WorldFault {
    let place = FaultPlace::File {
        file: file.to_owned(),
        line,
        object: None,
    };
    WorldFault { place, why }
}
