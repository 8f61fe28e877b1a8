//! The objects of one kind out of those of all kinds.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kube::core::SelectorExt as _;

use super::documents::Object;
use crate::projection::Kept;
use crate::shelf::{Load, Shelf};
use crate::{Area, Fault, Key, Kind, Place, Trouble};

/// A shelf that can be filled from files, whatever its kind.
pub(super) trait Gather: Send + Sync {
    fn gatherer(self: Arc<Self>) -> Box<dyn Gatherer>;
}

/// Gathers the objects of one kind and area, to show them together.
pub(super) trait Gatherer: Send {
    /// Whether it gathers objects of that kind.
    fn is_of_kind(&self, group: &str, kind: &str) -> bool;
    /// Whether it gathers no more than metadata.
    fn is_metadata_only(&self) -> bool;
    /// The only namespace that it gathers from, if it is one.
    fn namespace(&self) -> Option<&str>;
    fn wants(&self, object: &Object) -> bool;
    fn take(&mut self, file: &Path, line: u64, object: Object);
    /// Shows what was gathered, with faults that are of no kind in particular.
    fn show(self: Box<Self>, faults: &[Fault]);
    fn fail(self: Box<Self>, trouble: Trouble);
    /// Shows that the cluster of the files does not know the kind.
    fn not_served(self: Box<Self>);
}

struct Gathering<K> {
    shelf: Arc<Shelf<K>>,
    gathered: Gathered<K>,
}

/// The objects of one kind, with what is wrong with them.
pub(super) struct Gathered<K> {
    pub(super) load: Load<K>,
    kept: Kept,
    /// Where the objects are from.
    places: BTreeMap<Key, (PathBuf, u64)>,
}

impl<K: Kind> Gather for Shelf<K> {
    fn gatherer(self: Arc<Self>) -> Box<dyn Gatherer> {
        Box::new(Gathering {
            gathered: Gathered::of(self.kept().clone()),
            shelf: self,
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
        self.shelf.area().in_namespace()
    }

    fn wants(&self, object: &Object) -> bool {
        is_of::<K>(object, self.shelf.area())
    }

    fn take(&mut self, file: &Path, line: u64, object: Object) {
        self.gathered.take(file, line, object);
    }

    fn show(self: Box<Self>, faults: &[Fault]) {
        let Self { shelf, gathered } = *self;
        shelf.replace(gathered.with(faults));
    }

    fn fail(self: Box<Self>, trouble: Trouble) {
        self.shelf.fails(trouble);
    }

    fn not_served(self: Box<Self>) {
        self.shelf.not_served();
    }
}

/// Whether it is an object of the kind in the area. What is wrong with one that is not is no matter
/// of theirs.
pub(super) fn is_of<K: Kind>(object: &Object, area: &Area) -> bool {
    if !is_kind::<K>(&object.group, &object.kind) {
        return false;
    }
    let labels = object.labels();
    area.has(object.namespace(), &labels) && K::selector().matches(&labels)
}

fn is_kind<K: Kind>(group: &str, kind: &str) -> bool {
    K::group(&()) == group && K::kind(&()) == kind
}

impl<K: Kind> Gathered<K> {
    pub(super) fn of(kept: Kept) -> Self {
        Self {
            load: Load::default(),
            kept,
            places: BTreeMap::new(),
        }
    }

    pub(super) fn take(&mut self, file: &Path, line: u64, object: Object) {
        let Object { version, value, .. } = object;
        let place = |object| Place::File {
            file: file.to_owned(),
            line,
            object,
        };
        let wanted = K::version(&());
        if version != wanted {
            let why = format!("it is of version {version}, and only {wanted} is read");
            return self.fault(place(None), why);
        }
        let (mut object, faults) = match portolan_core_olm::read_value::<K>(value) {
            Ok(read) => read,
            Err(error) => return self.fault(place(None), error.to_string()),
        };
        self.kept.prune(&mut object);
        let key = Key::of(object.meta());
        if key.name.is_empty() {
            return self.fault(place(None), "it has no name".to_owned());
        }
        if !object.is_wanted() {
            return;
        }
        match self.places.entry(key.clone()) {
            Entry::Occupied(first) => {
                let (file, line) = first.get();
                // Nothing is wrong with the object itself.
                let why = format!(
                    "{key}: it is in {}:{line} already, and that counts",
                    file.display()
                );
                self.fault(place(None), why);
            }
            Entry::Vacant(entry) => {
                entry.insert((file.to_owned(), line));
                for fault in faults {
                    self.fault(place(Some(key.clone())), fault.to_string());
                }
                self.load.objects.insert(key, Arc::new(object));
            }
        }
    }

    /// All of them, with faults that are of no kind in particular.
    pub(super) fn with(self, faults: &[Fault]) -> Load<K> {
        let Self { mut load, .. } = self;
        load.faults.extend_from_slice(faults);
        load.faults.sort();
        load
    }

    fn fault(&mut self, place: Place, why: String) {
        self.load.faults.push(Fault { place, why });
    }
}
