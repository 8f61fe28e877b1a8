//! Finds the owners of the fields of a manifest in the managed fields of an object.
//!
//! Managed fields do not contain values, so they do not show if an owner wrote another value. A dry
//! run must confirm a difference that is found here. The runtime is linear in the size of the
//! input.

mod conflict;
mod foreign;
mod set;

use std::collections::BTreeMap;

use portolan_core_names::text::pointer_step;
use serde_json::{Map, Value};

use crate::object::{items, text};
use set::{ItemIndex, Node, item_path};

pub use conflict::OwnedField;
pub use foreign::Foreign;

/// The maximum number of owners that are listed for each field.
const MOST_OWNERS: usize = 10;
/// The top-level fields that identify the object and have no owner.
const NAMES: [&str; 2] = ["apiVersion", "kind"];
/// The fields in the metadata that identify the object and have no owner.
const METADATA_NAMES: [&str; 2] = ["name", "namespace"];

/// An owner of fields: a field manager, and the operation with which it wrote the fields.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner {
    pub manager: String,
    pub operation: Operation,
    /// The subresource through which the owner wrote. None if it wrote the object itself.
    pub subresource: Option<String>,
}

/// The operation that wrote the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// A server-side apply. If the next apply of the owner does not contain one of its fields, the
    /// API server removes the field.
    Apply,
    /// A write other than a server-side apply, for example an update or a patch.
    Update,
}

/// A field of a manifest that the field manager of the apply does not own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostField {
    /// The path as the API server writes it, such as `.spec.ports[port=80,protocol="TCP"].name`. If
    /// all parts of a field are lost, only the field itself is listed.
    pub field: String,
    /// The location in the manifest, as a JSON pointer.
    pub pointer: String,
    /// The first owners that the field or its parent field has now. Empty if the field was removed.
    pub owners: Vec<Owner>,
}

/// The fields of an object, with their owners.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// The owners, each with a number. The tree of fields contains these numbers.
    owners: BTreeMap<Owner, usize>,
    root: Node,
}

impl Owner {
    /// Returns the owner that stands for the server-side applies of this field manager.
    pub fn applies(manager: &str) -> Self {
        Self {
            manager: manager.to_owned(),
            operation: Operation::Apply,
            subresource: None,
        }
    }

    /// Returns the owner that an entry of the managed fields describes.
    fn of(entry: &Value) -> Self {
        let subresource = text(entry, "/subresource");
        Self {
            manager: text(entry, "/manager").to_owned(),
            operation: match text(entry, "/operation") {
                "Apply" => Operation::Apply,
                _ => Operation::Update,
            },
            subresource: (!subresource.is_empty()).then(|| subresource.to_owned()),
        }
    }

    /// Returns true if the owner owns any field of an object.
    pub fn has_any(&self, object: &Value) -> bool {
        let mut entries = items(object, "/metadata/managedFields").iter();
        entries.any(|entry| Self::of(entry) == *self)
    }
}

impl Fields {
    /// Parses the managed fields of an object. Ignores entries in an unknown format.
    pub fn of(object: &Value) -> Self {
        let mut fields = Self::default();
        for entry in items(object, "/metadata/managedFields") {
            // If a manager wrote several versions of a kind, these entries belong to one owner.
            let next = fields.owners.len();
            let owner = fields.owners.entry(Owner::of(entry));
            let owner = *owner.or_insert(next);
            if let Some(set) = entry.get("fieldsV1").and_then(Value::as_object) {
                fields.root.add(set, owner);
            }
        }
        fields
    }

    /// Returns the fields of the manifest that this owner does not own. The owner owns a field if
    /// its field set contains the field or one of the parents of the field.
    pub fn lost(&self, manifest: &Value, owner: &Owner) -> Vec<LostField> {
        let mut lost = Vec::new();
        let names = self.names();
        self.walk(manifest, owner, &mut |place, is_owned, others| {
            if !is_owned {
                let owners = others.iter().map(|place| names[*place].clone());
                lost.push(LostField {
                    field: place.path.clone(),
                    pointer: place.pointer.clone(),
                    owners: owners.collect(),
                });
            }
        });
        // Sorts the fields, because the order of JSON keys depends on the build features of the
        // parser.
        lost.sort_by(|a, b| a.field.cmp(&b.field));
        lost
    }

    /// Returns the other owners of the manifest's fields, each with its fields. If one of these
    /// fields has another value, an apply of the manifest conflicts with its owner.
    pub fn others(&self, manifest: &Value, owner: &Owner) -> BTreeMap<Owner, Vec<String>> {
        let mut others: BTreeMap<Owner, Vec<String>> = BTreeMap::new();
        let names = self.names();
        self.walk(manifest, owner, &mut |field, _, places| {
            for place in places {
                let fields = others.entry(names[*place].clone()).or_default();
                fields.push(field.path.clone());
            }
        });
        others.values_mut().for_each(|fields| fields.sort());
        others
    }

    /// Returns the owners, sorted by their numbers.
    fn names(&self) -> Vec<&Owner> {
        let mut names: Vec<_> = self.owners.iter().collect();
        names.sort_unstable_by_key(|(_, place)| **place);
        names.into_iter().map(|(owner, _)| owner).collect()
    }

    /// Calls `tell` for each leaf of the manifest. If the parts of a field have no separate owners,
    /// calls `tell` once for the whole field.
    ///
    /// The arguments of `tell` are the field, true if `owner` owns the field, and the other owners
    /// of the field.
    fn walk(&self, manifest: &Value, owner: &Owner, tell: &mut Tell<'_>) {
        let mut walk = FieldWalk {
            way: FieldPath::default(),
            owner: self.owners.get(owner).copied(),
            is_owned: false,
            others: Vec::new(),
            tell,
        };
        let fields = manifest.as_object().into_iter().flatten();
        for (key, value) in fields.filter(|(key, _)| !NAMES.contains(&key.as_str())) {
            let node = self.root.field(key);
            if key != "metadata" {
                walk.field(key, value, node);
                continue;
            }
            walk.way.field(key);
            let metadata = value.as_object().into_iter().flatten();
            for (name, value) in metadata {
                if !METADATA_NAMES.contains(&name.as_str()) {
                    let node = node.and_then(|node| node.field(name));
                    walk.field(name, value, node);
                }
            }
            walk.way = FieldPath::default();
        }
    }
}

type Tell<'t> = dyn FnMut(&FieldPath, bool, &[usize]) + 't;

/// The path of a field, in both notations.
#[derive(Debug, Clone, Default)]
struct FieldPath {
    /// The path as the API server writes it.
    path: String,
    /// The path as a JSON pointer.
    pointer: String,
}

impl FieldPath {
    fn field(&mut self, name: &str) {
        self.path.push('.');
        self.path.push_str(name);
        self.pointer.push('/');
        self.pointer.push_str(&pointer_step(name));
    }

    fn item(&mut self, key: Option<&str>, at: usize) {
        self.path.push_str(&item_path(key, at));
        self.pointer.push('/');
        self.pointer.push_str(&at.to_string());
    }

    fn lengths(&self) -> (usize, usize) {
        (self.path.len(), self.pointer.len())
    }

    fn truncate(&mut self, (path, pointer): (usize, usize)) {
        self.path.truncate(path);
        self.pointer.truncate(pointer);
    }
}

/// The state of a walk through a manifest.
struct FieldWalk<'w> {
    way: FieldPath,
    /// The number of the owner for which the manifest is walked. None if this owner owns no fields.
    owner: Option<usize>,
    /// True if this owner owns a whole field that contains the current position.
    is_owned: bool,
    /// The first other owners of a field that contains the current position.
    others: Vec<usize>,
    tell: &'w mut Tell<'w>,
}

impl FieldWalk<'_> {
    fn field(&mut self, name: &str, value: &Value, node: Option<&Node>) {
        let before = self.way.lengths();
        self.way.field(name);
        self.below(value, node);
        self.way.truncate(before);
    }

    fn item(&mut self, key: Option<&str>, at: usize, value: &Value, node: Option<&Node>) {
        let before = self.way.lengths();
        self.way.item(key, at);
        self.below(value, node);
        self.way.truncate(before);
    }

    fn below(&mut self, value: &Value, node: Option<&Node>) {
        let (is_owned, others) = (self.is_owned, self.others.len());
        self.visit(value, node);
        self.others.truncate(others);
        self.is_owned = is_owned;
    }

    fn report(&mut self) {
        (self.tell)(&self.way, self.is_owned, &self.others);
    }

    fn add(&mut self, owners: &[usize]) {
        for place in owners {
            if self.owner == Some(*place) {
                self.is_owned = true;
            } else if self.others.len() < MOST_OWNERS && !self.others.contains(place) {
                self.others.push(*place);
            }
        }
    }

    fn visit(&mut self, value: &Value, node: Option<&Node>) {
        let Some(node) = node else {
            if !value.is_null() {
                self.report();
            }
            return;
        };
        self.add(&node.whole);
        match value {
            Value::Object(fields) if !fields.is_empty() && node.has_fields() => {
                for (key, value) in fields {
                    self.field(key, value, node.field(key));
                }
            }
            Value::Array(items) if !items.is_empty() && node.has_items() => {
                let mut index = ItemIndex::of(node);
                for (at, item) in items.iter().enumerate() {
                    let key = index.key(at, item);
                    self.item(key, at, item, key.and_then(|key| node.item(key)));
                }
            }
            // The API server drops null values, so they have no owner.
            Value::Null => {}
            Value::Array(_) | Value::Object(_) if !is_empty(value) => self.report(),
            Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => {
                self.add(&node.existing);
                self.report();
            }
        }
    }
}

fn is_empty(value: &Value) -> bool {
    let is_empty_list = value.as_array().is_some_and(Vec::is_empty);
    is_empty_list || value.as_object().is_some_and(Map::is_empty)
}
