//! The objects of one kind out of those of all kinds.

use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kube::core::SelectorExt as _;
use serde_json::Value;

use crate::kind::prune;
use crate::shelf::{Load, Shelf};
use crate::{Fault, Key, Kind, Place, Trouble};

/// A shelf that can be filled from files, whatever its kind.
pub(super) trait Gather: Send + Sync {
    fn gatherer(self: Arc<Self>) -> Box<dyn Gatherer>;
}

/// Gathers the objects of one kind, to show them together.
pub(super) trait Gatherer: Send {
    fn is_of(&self, group: &str, kind: &str) -> bool;
    fn take(&mut self, file: &Path, line: u64, version: &str, value: Value);
    /// Shows what was gathered, with faults that are of no kind in particular.
    fn show(self: Box<Self>, faults: &[Fault]);
    fn fail(self: Box<Self>, trouble: Trouble);
}

struct Gathering<K> {
    shelf: Arc<Shelf<K>>,
    load: Load<K>,
    /// Where the objects are from.
    places: std::collections::BTreeMap<Key, (PathBuf, u64)>,
}

impl<K: Kind> Gather for Shelf<K> {
    fn gatherer(self: Arc<Self>) -> Box<dyn Gatherer> {
        Box::new(Gathering {
            shelf: self,
            load: Load::default(),
            places: Default::default(),
        })
    }
}

impl<K: Kind> Gatherer for Gathering<K> {
    fn is_of(&self, group: &str, kind: &str) -> bool {
        K::group(&()) == group && K::kind(&()) == kind
    }

    fn take(&mut self, file: &Path, line: u64, version: &str, value: Value) {
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
        let (mut object, faults) = match portolan_olm::read_value::<K>(value) {
            Ok(read) => read,
            Err(error) => return self.fault(place(None), error.to_string()),
        };
        prune(&mut object);
        let key = Key::of(object.meta());
        if key.name.is_empty() {
            return self.fault(place(None), "it has no name".to_owned());
        }
        let labels = object.meta().labels.as_ref();
        if !K::selector().matches(labels.unwrap_or(&Default::default())) {
            return;
        }
        match self.places.entry(key.clone()) {
            Entry::Occupied(first) => {
                let (file, line) = first.get();
                let why = format!(
                    "it is in {}:{line} already, and that counts",
                    file.display()
                );
                self.fault(place(Some(key)), why);
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

    fn show(self: Box<Self>, faults: &[Fault]) {
        let Self {
            shelf, mut load, ..
        } = *self;
        load.faults.extend_from_slice(faults);
        load.faults.sort();
        shelf.replace(load);
    }

    fn fail(self: Box<Self>, trouble: Trouble) {
        self.shelf.fails(trouble);
    }
}

impl<K> Gathering<K> {
    fn fault(&mut self, place: Place, why: String) {
        self.load.faults.push(Fault { place, why });
    }
}
