//! An index of operators by their APIs and names. It finds the operators of other namespaces.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_health::{Csv, Namespace};

/// The observed operators: by the kinds that they provide, and by name.
#[derive(Debug, Default)]
pub(crate) struct Elsewhere {
    by_kind: BTreeMap<String, Vec<CsvRef>>,
    by_name: BTreeMap<String, Vec<CsvRef>>,
}

/// An operator, identified by its namespace and its index in that namespace.
#[derive(Debug, Clone)]
struct CsvRef(Arc<Namespace>, usize);

// === impl Elsewhere ===

impl Elsewhere {
    pub(crate) fn of<'a>(namespaces: impl Iterator<Item = &'a Arc<Namespace>>) -> Self {
        let mut all = Self::default();
        for namespace in namespaces {
            for (number, csv) in namespace.csvs.objects.iter().enumerate() {
                let place = CsvRef(namespace.clone(), number);
                for kind in csv.definitions_owned() {
                    add(&mut all.by_kind, &kind, place.clone());
                }
                add(&mut all.by_name, csv.name(), place);
            }
        }
        all
    }

    /// Returns the operators of other namespaces that provide the same APIs as an operator in this
    /// namespace, and the operators that OLM copies to this namespace.
    pub(crate) fn from(&self, namespace: &Namespace) -> Vec<Csv> {
        let csvs = namespace.csvs.objects.iter();
        let brought = csvs.flat_map(|csv| csv.definitions_owned());
        let brought = brought.filter_map(|kind| self.by_kind.get(&*kind));
        let copied = namespace.copied.objects.iter();
        let copied = copied.filter_map(|name| self.by_name.get(name));
        let found = brought.chain(copied).flatten().map(CsvRef::csv);
        let found = found.filter(|csv| csv.namespace() != namespace.name);
        let distinct: BTreeSet<&Csv> = found.collect();
        distinct.into_iter().cloned().collect()
    }
}

fn add(all: &mut BTreeMap<String, Vec<CsvRef>>, name: &str, place: CsvRef) {
    match all.get_mut(name) {
        Some(places) => places.push(place),
        None => {
            all.insert(name.to_owned(), vec![place]);
        }
    }
}

// === impl CsvRef ===

impl CsvRef {
    fn csv(&self) -> &Csv {
        let Self(namespace, number) = self;
        &namespace.csvs.objects[*number]
    }
}
