//! The answers of the API server to writes that were tried, and how long they hold.
//!
//! Managed fields say which manager wrote which fields, and when, in seconds. They do not say what
//! it wrote: two writes of one second leave the same entries behind. So the judged content is
//! compared besides.

use std::collections::BTreeSet;

use portolan_api::plan::{DIGEST, LINEAGE};
use portolan_core_names::text::pointer_step;
use serde_json::{Map, Value};

use crate::fields::Conflict;
use crate::manifest::digest;
use crate::object::{items, text};

/// An apply without force that others' fields kept from being done.
///
/// It holds as long as those others write nothing and what they own is meant to be the same, whatever
/// becomes of the rest of the object: one whose status moves all the time is not tried all the time.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Empty if the API server did not say whose the fields are: then they may not be taken.
    pub conflicts: Vec<Conflict>,
    /// None if there was no forced dry run.
    pub forced: Option<Forced>,
    judged: Judged,
}

/// The changes that a forced dry run of an apply made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forced {
    /// The resourceVersion of the object that it was tried on.
    pub version: String,
    /// The fields that it changed, as JSON pointers, but for managed fields and the marks of plans.
    pub changed: Vec<String>,
}

/// The changes by which a forced dry run of an apply would put right a member that lost fields.
///
/// It holds as long as nothing but the status is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// The fields that it changed, as JSON pointers, or the reason why it could not be tried.
    pub changed: Result<Vec<String>, String>,
    judged: Judged,
}

/// An object as it was judged.
#[derive(Debug, Clone, PartialEq)]
struct Judged {
    generation: Option<i64>,
    /// Entries of its managed fields.
    entries: Vec<Value>,
    /// The digest of what it is meant to be.
    digest: String,
}

impl Forced {
    /// Returns the changes that a dry run made to an object.
    pub fn of(before: &Value, after: &Value) -> Self {
        let mut changed = changed(before, after);
        changed.retain(|pointer| !is_mark(pointer));
        Self {
            version: text(before, "/metadata/resourceVersion").to_owned(),
            changed,
        }
    }
}

impl Drift {
    /// Returns the changes that a dry run made to an object, or the reason why it could not be
    /// tried.
    pub fn of(before: &Value, after: Result<&Value, String>) -> Self {
        Self {
            changed: after.map(|after| changed(before, after)),
            judged: Judged::of(before),
        }
    }

    /// Whether it would be the same now.
    pub(super) fn holds(&self, object: &Value) -> bool {
        self.judged == Judged::of(object)
    }
}

/// The entries of managed fields but for those of a status, which moves all the time.
fn lasting(object: &Value) -> Vec<Value> {
    let entries = items(object, "/metadata/managedFields").iter();
    let lasting = entries.filter(|entry| text(entry, "/subresource") != "status");
    lasting.cloned().collect()
}

/// The fields that a dry run changed, but for what the API server keeps of each write.
fn changed(before: &Value, after: &Value) -> Vec<String> {
    let mut changed = Vec::new();
    differences(before, after, "", &mut changed);
    changed.retain(|pointer| !BOOKKEEPING.contains(&pointer.as_str()));
    changed
}

/// The fields that an API server changes with each write.
const BOOKKEEPING: [&str; 3] = [
    "/metadata/generation",
    "/metadata/managedFields",
    "/metadata/resourceVersion",
];

/// The fields that are not the same in both; lists of another length are compared whole.
fn differences(before: &Value, after: &Value, pointer: &str, found: &mut Vec<String>) {
    if before == after || BOOKKEEPING.contains(&pointer) {
        return;
    }
    if let (Value::Array(old), Value::Array(new)) = (before, after)
        && old.len() == new.len()
    {
        for (at, (before, after)) in old.iter().zip(new).enumerate() {
            differences(before, after, &format!("{pointer}/{at}"), found);
        }
        return;
    }
    let fields = |value: &Value| {
        // A map that comes or goes is its fields that do.
        let none = value.is_null().then(Map::new);
        none.or_else(|| value.as_object().cloned())
    };
    let (Some(old), Some(new)) = (fields(before), fields(after)) else {
        found.push(pointer.to_owned());
        return;
    };
    for key in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let [before, after] = [&old, &new].map(|fields| fields.get(key).unwrap_or(&Value::Null));
        differences(
            before,
            after,
            &format!("{pointer}/{}", pointer_step(key)),
            found,
        );
    }
}

/// Whether a field is one by which a member is known.
fn is_mark(pointer: &str) -> bool {
    let is = |map: &str, key: &str| pointer == format!("/metadata/{map}/{}", pointer_step(key));
    is("labels", LINEAGE.name()) || is("annotations", DIGEST)
}

impl Attempt {
    /// An attempt on an object as it was seen then.
    pub fn new(object: &Value, conflicts: Vec<Conflict>) -> Self {
        Self {
            forced: None,
            judged: Judged::about(object, &conflicts),
            conflicts,
        }
    }

    /// Whether it would end in the same way now.
    pub(super) fn holds(&self, object: &Value) -> bool {
        self.judged == Judged::about(object, &self.conflicts)
    }
}

impl Judged {
    /// All parts of an object that a write of anything but the status may have changed.
    fn of(object: &Value) -> Self {
        Self::with(object, lasting(object), true)
    }

    /// The parts of an object that the managers in these conflicts have to do with.
    fn about(object: &Value, conflicts: &[Conflict]) -> Self {
        let entries = entries(object, conflicts);
        Self::with(object, entries, is_about_metadata(conflicts))
    }

    fn with(object: &Value, entries: Vec<Value>, has_metadata: bool) -> Self {
        let generation = object.pointer("/metadata/generation");
        Self {
            generation: generation.and_then(Value::as_i64),
            entries,
            digest: digest(&meant(object, has_metadata)),
        }
    }
}

/// Whether others own labels, annotations and the like, or it is not known what they own.
fn is_about_metadata(conflicts: &[Conflict]) -> bool {
    let mut conflicts = conflicts.iter();
    conflicts.as_slice().is_empty()
        || conflicts.any(|conflict| conflict.field.starts_with(".metadata"))
}

/// An object but for its status, which moves all the time, and for what the API server changes with
/// each write.
fn meant(object: &Value, has_metadata: bool) -> Value {
    let fields = object.as_object().into_iter().flatten();
    let fields = fields.filter(|(key, _)| *key != "status" && *key != "metadata");
    let mut meant: Map<_, _> = fields
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if has_metadata && let Some(metadata) = object.get("metadata") {
        let mut metadata = metadata.clone();
        let fields = metadata.as_object_mut().into_iter();
        fields.for_each(|fields| fields.retain(|key, _| !is_bookkeeping(key)));
        meant.insert("metadata".to_owned(), metadata);
    }
    Value::Object(meant)
}

fn is_bookkeeping(name: &str) -> bool {
    let mut pointers = BOOKKEEPING.iter();
    pointers.any(|pointer| pointer.strip_prefix("/metadata/") == Some(name))
}

/// The entries of managed fields, with their times, of the managers that are in the way; all if it
/// is not known which these are.
fn entries(object: &Value, conflicts: &[Conflict]) -> Vec<Value> {
    let managers: BTreeSet<_> = conflicts
        .iter()
        .map(|conflict| {
            let subresource = conflict.subresource.as_deref();
            (conflict.manager.as_str(), subresource.unwrap_or_default())
        })
        .collect();
    let is_in_the_way =
        |entry: &&Value| managers.contains(&(text(entry, "/manager"), text(entry, "/subresource")));
    let entries = items(object, "/metadata/managedFields").iter();
    entries
        .filter(|entry| managers.is_empty() || is_in_the_way(entry))
        .cloned()
        .collect()
}
