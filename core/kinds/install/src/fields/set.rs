//! The field sets of all owners, merged into one tree. The sets have the format of `fieldsV1`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::manifest::canonical;

/// A field with its owners and its subfields.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    /// The owners of the complete field. Their field sets contain no part of the field.
    pub(super) whole: Vec<usize>,
    /// The owners that own the field itself, but only some or none of its parts.
    pub(super) existing: Vec<usize>,
    /// The subfields, by name.
    fields: BTreeMap<String, Node>,
    /// The list items, by key. A key starts with `k:`, `v:` or `i:`.
    items: BTreeMap<String, Node>,
}

impl Node {
    /// Adds the field set of one owner.
    pub(super) fn add(&mut self, set: &Map<String, Value>, owner: usize) {
        for (key, below) in set {
            let node = match key.strip_prefix("f:") {
                Some(name) => self.fields.entry(name.to_owned()).or_default(),
                None if key == "." => {
                    self.existing.push(owner);
                    continue;
                }
                None => self.items.entry(key.clone()).or_default(),
            };
            match below.as_object() {
                Some(below) if !below.is_empty() => node.add(below, owner),
                Some(_) | None => node.whole.push(owner),
            }
        }
    }

    /// Returns the owners of the complete field, and the owners of the field itself.
    pub(super) fn owners(&self) -> impl Iterator<Item = &usize> {
        self.whole.iter().chain(&self.existing)
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &Self> {
        self.fields.values().chain(self.items.values())
    }

    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        self.fields.get(name)
    }

    pub(super) fn item(&self, key: &str) -> Option<&Self> {
        self.items.get(key)
    }

    pub(super) fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    pub(super) fn has_items(&self) -> bool {
        !self.items.is_empty()
    }
}

/// Finds the key of a list item without a linear search.
pub(super) struct ItemIndex<'n> {
    node: &'n Node,
    /// The names of the fields that form the keys of the list. Usually, all keys have the same
    /// names. If the CRD has changed these names, there are several sets of names.
    names: Vec<Vec<String>>,
    /// For each set of names: the keys of the list, by the values of these names.
    partial: BTreeMap<Vec<String>, BTreeMap<Vec<u8>, &'n str>>,
}

impl<'n> ItemIndex<'n> {
    pub(super) fn of(node: &'n Node) -> Self {
        let keys = node.items.keys().filter_map(|key| parts(key));
        let mut names: Vec<Vec<String>> = keys
            .map(|parts| parts.keys().cloned().collect::<Vec<_>>())
            .map(|mut names| {
                names.sort_unstable();
                names
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        Self {
            node,
            names,
            partial: BTreeMap::new(),
        }
    }

    /// Returns the key of a list item. Returns None if the item has no owner.
    pub(super) fn key(&mut self, at: usize, item: &Value) -> Option<&'n str> {
        if let Some(fields) = item.as_object() {
            let names = self.names.clone();
            let associative = names.iter().find_map(|names| self.keyed(names, fields));
            if associative.is_some() {
                return associative;
            }
        } else {
            let key = format!("v:{}", String::from_utf8_lossy(&canonical(item)));
            if let Some((key, _)) = self.node.items.get_key_value(&key) {
                return Some(key);
            }
        }
        let (key, _) = self.node.items.get_key_value(&format!("i:{at}"))?;
        Some(key)
    }

    /// Returns the key whose values equal the values of the item. If the item lacks a name, the key
    /// must have its default value.
    fn keyed(&mut self, names: &[String], item: &Map<String, Value>) -> Option<&'n str> {
        let mut given: Vec<String> = names.to_vec();
        given.retain(|name| item.contains_key(name) || default(name).is_some());
        if given.is_empty() {
            return None;
        }
        let values = values(&given, item)?;
        if !self.partial.contains_key(&given) {
            let index = self.index(&given);
            self.partial.insert(given.clone(), index);
        }
        self.partial.get(&given)?.get(&values).copied()
    }

    fn index(&self, names: &[String]) -> BTreeMap<Vec<u8>, &'n str> {
        let mut index = BTreeMap::new();
        for key in self.node.items.keys() {
            if let Some(values) = parts(key).and_then(|parts| values(names, &parts)) {
                index.entry(values).or_insert(key.as_str());
            }
        }
        index
    }
}

/// Returns the default value that Kubernetes sets for a name in a key. Manifests may omit such a
/// name. Returns None for names without a default value.
fn default(name: &str) -> Option<Value> {
    (name == "protocol").then(|| Value::from("TCP"))
}

fn values(names: &[String], fields: &Map<String, Value>) -> Option<Vec<u8>> {
    let mut values = Vec::new();
    for name in names {
        let value = fields.get(name).cloned().or_else(|| default(name))?;
        values.extend(canonical(&value));
        values.push(b',');
    }
    Some(values)
}

/// Returns the names and values in the key of a list item. Returns None if the key has another
/// form.
fn parts(key: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(key.strip_prefix("k:")?).ok()
}

/// Returns the path step of a list item as the API server writes it. An item without an owner has
/// no key, so its step contains its index.
pub(super) fn item_path(key: Option<&str>, at: usize) -> String {
    let json = |value: &Value| String::from_utf8_lossy(&canonical(value)).into_owned();
    match key.and_then(|key| key.split_once(':')) {
        Some(("v", value)) => format!("[={value}]"),
        Some(("k", _)) => {
            let parts = key.and_then(parts).unwrap_or_default();
            let mut parts: Vec<_> = parts.iter().collect();
            parts.sort_unstable_by_key(|(name, _)| *name);
            let parts = parts
                .iter()
                .map(|(name, value)| format!("{name}={}", json(value)));
            format!("[{}]", parts.collect::<Vec<_>>().join(","))
        }
        Some(_) | None => format!("[{at}]"),
    }
}
