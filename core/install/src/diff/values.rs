//! The fields in which two manifests differ.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::manifest::{Member, canonical};
use crate::object::text;

/// The placeholder for the values of a Secret.
const HIDDEN: &str = "(hidden)";
/// The fields of a Secret that are told all the same.
const TOLD_OF_SECRETS: [&str; 3] = [".immutable", ".metadata.labels", ".type"];
/// The keys by which items of lists are told apart, if all of a list have it and no two the same.
const KEYS: [&str; 2] = ["name", "key"];

/// A field that two manifests do not have alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// Such as `.spec.template.spec.containers[name="ferry"].image`.
    pub path: String,
    /// As JSON; None where it is not there.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// The fields in which two manifests of an object differ. The values of a Secret are not told.
pub(super) fn changes(old: &Member, new: &Member) -> Vec<FieldChange> {
    let mut found = between(&old.manifest, &new.manifest);
    if old.identity.kind.is("", "Secret") {
        found.iter_mut().for_each(hide);
    }
    found
}

/// The fields in which two values differ.
pub(super) fn between(before: &Value, after: &Value) -> Vec<FieldChange> {
    let mut found = Vec::new();
    compare(String::new(), (Some(before), Some(after)), &mut found);
    found
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
            let text = |value: &Value| String::from_utf8_lossy(&canonical(value)).into_owned();
            found.push(FieldChange {
                path,
                before: before.map(text),
                after: after.map(text),
            });
        }
    }
}

/// A field of an object in a path: names that have more than letters and hyphens are quoted.
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

/// The values by which items are told apart; None if they cannot be told apart by them.
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
