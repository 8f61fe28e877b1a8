//! The results of earlier writes and dry runs, and the changes of an object that make such a result
//! invalid.
//!
//! The managed fields of an object record which manager wrote which fields at which time, in
//! seconds. They do not record the values. Two writes within a second therefore leave the same
//! entries. For this reason, the content of the object is compared too.

use std::collections::BTreeSet;

use portolan_api::plan::{DIGEST, LINEAGE};
use portolan_core_names::text::pointer_step;
use serde_json::{Map, Value};

use crate::fields::OwnedField;
use crate::manifest::digest;
use crate::object::{items, text};

/// The result of an apply without force that failed because other owners own some of the fields.
///
/// The result stays valid until one of these owners writes again or the content of the object
/// changes. Status updates do not count. Therefore, an object with frequent status updates is not
/// retried all the time.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The conflicting fields. Empty if the API server did not return the owners. In this case, the
    /// plan may not take any fields.
    pub conflicts: Vec<OwnedField>,
    /// The result of a forced dry run. None if there was no forced dry run.
    pub forced: Option<Forced>,
    judged: Judged,
}

/// The changes that a forced dry run made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forced {
    /// The resourceVersion of the object on which the dry run was made.
    pub version: String,
    /// The changed fields as JSON pointers. Managed fields, and the labels and annotations of
    /// plans, are omitted.
    pub changed: Vec<String>,
}

/// The changes that a forced apply would make to repair a member with changed or removed fields. A
/// dry run found them.
///
/// If only the status of the object changes, the result stays valid.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// The changed fields as JSON pointers. If the dry run failed, the reason.
    pub changed: Result<Vec<String>, String>,
    judged: Judged,
}

/// The state of an object on which a result is based.
#[derive(Debug, Clone, PartialEq)]
struct Judged {
    generation: Option<i64>,
    /// The entries of the managed fields that matter for the result.
    entries: Vec<Value>,
    /// The digest of the content that matters for the result.
    digest: String,
}

impl Forced {
    /// Returns the differences between the object before and after a forced dry run.
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
    /// Returns the differences between the object before and after a forced dry run. If the dry run
    /// failed, keeps the reason.
    pub fn of(before: &Value, after: Result<&Value, String>) -> Self {
        Self {
            changed: after.map(|after| changed(before, after)),
            judged: Judged::of(before),
        }
    }

    /// Returns true if the object has not changed since the dry run, so that a new dry run would
    /// have the same result.
    pub(super) fn holds(&self, object: &Value) -> bool {
        self.judged == Judged::of(object)
    }
}

/// Returns the managed-fields entries of the object. Entries of the status are omitted, because the
/// status changes often.
fn lasting(object: &Value) -> Vec<Value> {
    let entries = items(object, "/metadata/managedFields").iter();
    let lasting = entries.filter(|entry| text(entry, "/subresource") != "status");
    lasting.cloned().collect()
}

/// Returns the fields that differ between the object before and after a dry run. Fields that the
/// API server changes with each write are omitted.
fn changed(before: &Value, after: &Value) -> Vec<String> {
    let mut changed = Vec::new();
    differences(before, after, "", &mut changed);
    changed.retain(|pointer| !BOOKKEEPING.contains(&pointer.as_str()));
    changed
}

/// The fields that the API server changes with each write.
const BOOKKEEPING: [&str; 3] = [
    "/metadata/generation",
    "/metadata/managedFields",
    "/metadata/resourceVersion",
];

/// Collects the fields that differ. If two lists have different lengths, the list counts as one
/// difference.
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
        // If a whole map was added or removed, each of its fields counts as a difference.
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

/// Returns true if the field is the label or the annotation with which plans mark their members.
fn is_mark(pointer: &str) -> bool {
    let is = |map: &str, key: &str| pointer == format!("/metadata/{map}/{}", pointer_step(key));
    is("labels", LINEAGE.name()) || is("annotations", DIGEST)
}

impl Attempt {
    /// Returns the result of an apply to the object in this state. `conflicts` are the fields that
    /// other owners own.
    pub fn new(object: &Value, conflicts: Vec<OwnedField>) -> Self {
        Self {
            forced: None,
            judged: Judged::about(object, &conflicts),
            conflicts,
        }
    }

    /// Returns true if the object has not changed since, so that a new attempt would have the same
    /// result.
    pub(super) fn holds(&self, object: &Value) -> bool {
        self.judged == Judged::about(object, &self.conflicts)
    }
}

impl Judged {
    /// Returns the state of the object. Any write except a status update may change this state.
    fn of(object: &Value) -> Self {
        Self::with(object, lasting(object), true)
    }

    /// Returns the state of the object as far as the field managers in these conflicts can change
    /// it.
    fn about(object: &Value, conflicts: &[OwnedField]) -> Self {
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

/// Returns true if one of the conflicting fields belongs to the metadata, such as a label. Also
/// returns true if the conflicting fields are unknown.
fn is_about_metadata(conflicts: &[OwnedField]) -> bool {
    let mut conflicts = conflicts.iter();
    conflicts.as_slice().is_empty()
        || conflicts.any(|conflict| conflict.field.starts_with(".metadata"))
}

/// Returns the object without its status, and without fields that the API server changes with each
/// write.
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

/// Returns the managed-fields entries of the field managers in these conflicts. They contain the
/// times of the writes. If the field managers are unknown, returns all entries.
fn entries(object: &Value, conflicts: &[OwnedField]) -> Vec<Value> {
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
