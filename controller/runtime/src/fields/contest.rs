//! Detects fields that other managers repeatedly revert.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use portolan_api::{Contest, owns};
use portolan_world::ObjectRef;
use serde_json::Value;

#[cfg(test)]
mod tests;

/// The number of times that a reverted field is written again. After that, the controller stops
/// writing the field for some time.
const TIMES: usize = 3;
/// The period in which these writes are counted. After the last of these writes, the field is not
/// written for the same period.
const WINDOW: Duration = Duration::from_secs(600);

/// The written fields of each object, with their history.
#[derive(Debug, Default)]
pub(crate) struct Contests(BTreeMap<ContestedObject, BTreeMap<FieldPath, Field>>);

/// An object of a contested kind.
pub(crate) type ContestedObject = ObjectRef<&'static str>;

/// The path of a field: the names from the root of the object to the field.
pub(crate) type FieldPath = Vec<String>;

/// An object immediately before a write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Live<'a> {
    pub(crate) fields: &'a Value,
    pub(crate) managed: &'a [ManagedFieldsEntry],
    /// The name of the field manager of this process.
    pub(crate) manager: &'a str,
}

#[derive(Debug)]
struct Field {
    /// The value that was written. None if the field was removed.
    value: Option<Value>,
    /// The times at which the field was written again after another manager had reverted it.
    back: Vec<Instant>,
    /// The field manager that changed the field last.
    manager: String,
}

// === impl Contests ===

impl Contests {
    /// Records the values that a write has set. `live` is the object before the write, or None if
    /// the object did not exist.
    pub(crate) fn wrote(
        &mut self,
        object: &ContestedObject,
        fields: Vec<(FieldPath, Option<Value>)>,
        live: Option<Live<'_>>,
        now: Instant,
    ) {
        let known = self.0.entry(object.clone()).or_default();
        for (path, value) in fields {
            let was = live.map(|live| at(live.fields, &path));
            match known.get_mut(&path).filter(|field| field.value == value) {
                Some(field) if was.is_some_and(|was| was != value.as_ref()) => {
                    field.back.retain(|at| now.duration_since(*at) < WINDOW);
                    field.back.push(now);
                    field.manager = live.map_or_else(String::new, |live| manager(live, &path));
                }
                Some(_) => {}
                None => drop(known.insert(path, Field::written(value))),
            }
        }
    }

    /// Forgets a deleted object.
    pub(crate) fn forget(&mut self, object: &ContestedObject) {
        self.0.remove(object);
    }

    pub(crate) fn contests(&self, namespace: &str, now: Instant) -> Vec<Contest> {
        let contested = self.contested(namespace, now);
        contested
            .map(|(object, path, field)| Contest {
                kind: object.kind,
                name: object.name.clone(),
                field: readable(path),
                manager: field.manager.clone(),
            })
            .collect()
    }

    /// Returns the time at which the last contest in a namespace ends.
    pub(crate) fn until(&self, namespace: &str, now: Instant) -> Option<Instant> {
        let contested = self.contested(namespace, now);
        contested.filter_map(|(_, _, field)| field.until()).max()
    }

    fn contested<'a>(
        &'a self,
        namespace: &'a str,
        now: Instant,
    ) -> impl Iterator<Item = (&'a ContestedObject, &'a FieldPath, &'a Field)> {
        let there = self
            .0
            .iter()
            .filter(move |(object, _)| object.namespace() == namespace);
        let fields = there.flat_map(|(object, fields)| {
            fields
                .iter()
                .map(move |(path, field)| (object, path, field))
        });
        fields.filter(move |(_, _, field)| field.until().is_some_and(|until| now < until))
    }
}

// === impl Field ===

impl Field {
    fn written(value: Option<Value>) -> Self {
        Self {
            value,
            back: Vec::new(),
            manager: String::new(),
        }
    }

    /// Returns the time after which the field may be written again. Returns None if it was not
    /// reverted too often.
    fn until(&self) -> Option<Instant> {
        let last = self.back.last().filter(|_| self.back.len() >= TIMES)?;
        Some(*last + WINDOW)
    }
}

/// Returns all values in a manifest that are not maps, with their paths. Leaves out the fields that
/// identify the object.
pub(crate) fn fields(manifest: &Value) -> Vec<(FieldPath, Option<Value>)> {
    let mut all = Vec::new();
    leaves(manifest, &mut Vec::new(), &mut all);
    all.retain(|(path, _)| !is_name(path));
    all
}

/// Splits a JSON pointer into names.
pub(crate) fn path(pointer: &str) -> FieldPath {
    let names = pointer.split('/').skip(1);
    names
        .map(|name| name.replace("~1", "/").replace("~0", "~"))
        .collect()
}

fn leaves(value: &Value, path: &mut FieldPath, all: &mut Vec<(FieldPath, Option<Value>)>) {
    match value.as_object().filter(|fields| !fields.is_empty()) {
        Some(fields) => {
            for (name, below) in fields {
                path.push(name.clone());
                leaves(below, path, all);
                path.pop();
            }
        }
        None => all.push((path.clone(), Some(value.clone()))),
    }
}

fn is_name(path: &[String]) -> bool {
    match path.first().map(String::as_str) {
        Some("apiVersion" | "kind") => true,
        Some("metadata") => !matches!(
            path.get(1).map(String::as_str),
            Some("annotations" | "labels")
        ),
        _ => false,
    }
}

/// Returns the value of a field of an object.
pub(crate) fn at<'a>(object: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(object, |value, name| value.get(name))
}

/// Returns the name of the other field manager that wrote a field last.
fn manager(live: Live<'_>, path: &[String]) -> String {
    let others = live
        .managed
        .iter()
        .filter(|entry| entry.manager.as_deref() != Some(live.manager) && owns(entry, path));
    let newest = others.max_by_key(|entry| entry.time.as_ref().map(|time| time.0));
    let name = newest.and_then(|entry| entry.manager.clone());
    name.unwrap_or_else(|| "somebody unknown".to_owned())
}

/// Formats a path for users. A name that contains a dot is written in brackets.
pub(crate) fn readable(path: &[String]) -> String {
    let mut text = String::new();
    for name in path {
        if name.contains('.') {
            text.push_str(&format!("[{name}]"));
        } else if text.is_empty() {
            text.push_str(name);
        } else {
            text.push_str(&format!(".{name}"));
        }
    }
    text
}
