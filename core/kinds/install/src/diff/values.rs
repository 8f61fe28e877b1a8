//! The fields in which two manifests differ.

use std::collections::BTreeSet;

use portolan_api::plan::{DIGEST, LINEAGE};
use portolan_core_names::GroupKind;
use serde_json::Value;

use crate::manifest::{Member, canonical};
use crate::object::{path, text};

/// The placeholder that replaces the values of a Secret.
const HIDDEN: &str = "(hidden)";
/// The fields of a Secret whose values are shown.
const TOLD_OF_SECRETS: [&str; 3] = [".immutable", ".metadata.labels", ".type"];
/// The keys that may identify the items of a list. A key identifies the items if each item has it
/// and all its values differ.
const KEYS: [&str; 2] = ["name", "key"];

/// A field that differs between two manifests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// The path, such as `.spec.template.spec.containers[name="ferry"].image`.
    pub path: String,
    /// The old value as JSON. None if the field was missing.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Returns the fields in which two manifests of an object differ. The values of a Secret are
/// hidden.
pub(super) fn changes(old: &Member, new: &Member) -> Vec<FieldChange> {
    masked(&old.identity.kind, between(&old.manifest, &new.manifest))
}

/// Returns the fields in which two values differ.
pub(super) fn between(before: &Value, after: &Value) -> Vec<FieldChange> {
    let mut found = Vec::new();
    compare(String::new(), (Some(before), Some(after)), &mut found);
    found
}

/// Returns the fields that a dry-run apply changed. Fields that the API server changes with each
/// write are omitted, and so are the labels and annotations of plans. The values of a Secret are
/// hidden.
pub fn tried(before: &Value, after: &Value) -> Vec<FieldChange> {
    let [meant_before, meant_after] = [before, after].map(meant);
    masked(&GroupKind::of(before), between(&meant_before, &meant_after))
}

/// Returns the changes that remove the fields at these JSON pointers. The values of a Secret are
/// hidden.
pub(crate) fn removed(kind: &GroupKind, object: &Value, pointers: &[String]) -> Vec<FieldChange> {
    let fields = pointers.iter().map(|pointer| FieldChange {
        path: path(pointer),
        before: object.pointer(pointer).map(printed),
        after: None,
    });
    masked(kind, fields.collect())
}

/// Returns an object without the fields that the API server changes with each write, and without
/// the labels and annotations of plans.
fn meant(object: &Value) -> Value {
    let mut object = object.clone();
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
        return object;
    };
    for field in ["generation", "managedFields", "resourceVersion"] {
        metadata.remove(field);
    }
    for (field, mark) in [("labels", LINEAGE.name()), ("annotations", DIGEST)] {
        let Some(marks) = metadata.get_mut(field).and_then(Value::as_object_mut) else {
            continue;
        };
        marks.remove(mark);
        if marks.is_empty() {
            metadata.remove(field);
        }
    }
    object
}

fn masked(kind: &GroupKind, mut found: Vec<FieldChange>) -> Vec<FieldChange> {
    if kind.is("", "Secret") {
        found.iter_mut().for_each(hide);
    }
    found
}

fn printed(value: &Value) -> String {
    String::from_utf8_lossy(&canonical(value)).into_owned()
}

fn hide(change: &mut FieldChange) {
    let mut told = TOLD_OF_SECRETS.iter();
    if told.any(|start| change.path.starts_with(start)) {
        return;
    }
    for value in [&mut change.before, &mut change.after] {
        if value.is_some() {
            *value = Some(HIDDEN.to_owned());
        }
    }
}

fn compare(path: String, pair: (Option<&Value>, Option<&Value>), found: &mut Vec<FieldChange>) {
    match pair {
        (before, after) if before == after => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let names: BTreeSet<_> = before.keys().chain(after.keys()).collect();
            for name in names {
                let pair = (before.get(name), after.get(name));
                compare(format!("{path}{}", field(name)), pair, found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            items(&path, before, after, found);
        }
        (before, after) => {
            found.push(FieldChange {
                path,
                before: before.map(printed),
                after: after.map(printed),
            });
        }
    }
}

/// Returns the path step for a field of an object. A name is quoted if it contains characters other
/// than letters, digits, hyphens and underscores.
fn field(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.chars().all(is_plain) {
        format!(".{name}")
    } else {
        format!("[{name:?}]")
    }
}

fn items(path: &str, before: &[Value], after: &[Value], found: &mut Vec<FieldChange>) {
    let key = KEYS.into_iter().find(|key| {
        let keyed = keyed(before, key).zip(keyed(after, key));
        keyed.is_some_and(|(before, after)| !before.is_empty() || !after.is_empty())
    });
    let Some(key) = key else {
        for at in 0..before.len().max(after.len()) {
            let pair = (before.get(at), after.get(at));
            compare(format!("{path}[{at}]"), pair, found);
        }
        return;
    };
    let (before, after) = (by(before, key), by(after, key));
    let gone = before
        .iter()
        .filter(|(name, _)| get(&after, name).is_none());
    for (name, _) in gone.chain(&after) {
        let pair = (get(&before, name), get(&after, name));
        compare(format!("{path}[{key}={name:?}]"), pair, found);
    }
}

/// Returns the values of the key in all items. Returns None if the key does not identify each item.
fn keyed<'v>(items: &'v [Value], key: &str) -> Option<BTreeSet<&'v str>> {
    let mut keys = BTreeSet::new();
    for item in items {
        let name = item.as_object()?.get(key)?.as_str()?;
        keys.insert(name).then_some(())?;
    }
    Some(keys)
}

fn by<'v>(items: &'v [Value], key: &str) -> Vec<(&'v str, &'v Value)> {
    let pointer = format!("/{key}");
    items
        .iter()
        .map(|item| (text(item, &pointer), item))
        .collect()
}

fn get<'v>(items: &[(&str, &'v Value)], name: &str) -> Option<&'v Value> {
    let mut items = items.iter();
    items
        .find(|(other, _)| *other == name)
        .map(|(_, item)| *item)
}
