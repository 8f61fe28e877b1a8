//! Finds the fields that other owners added to an object.

use serde_json::Value;

use super::set::{ItemIndex, Node};
use super::{FieldPath, Fields, Owner};

/// The top-level fields with the desired state of an object.
const MEANING: [&str; 6] = [
    "binaryData",
    "data",
    "rules",
    "spec",
    "subjects",
    "webhooks",
];
/// A field at any position that other writers may set, for example controllers that sign
/// certificates.
const CA_BUNDLE: &str = "caBundle";

/// A field that only other owners own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// The path as the API server writes it, such as `.spec.paused`.
    pub field: String,
    /// The location in the object, as a JSON pointer.
    pub pointer: String,
    pub owners: Vec<Owner>,
}

/// Searches for fields that only other owners own.
struct Search<'f> {
    names: Vec<&'f Owner>,
    /// True for each owner whose fields must be kept, by owner number.
    is_kept: Vec<bool>,
    found: Vec<Foreign>,
}

impl Fields {
    /// Returns the fields in the desired state of an object that only other owners own, in the
    /// order of the object. `keeps` returns true for the owners whose fields must be kept.
    ///
    /// If no part of a field has such an owner, only the field itself is returned. A field without
    /// an owner is a default value, so it is not returned.
    pub fn foreign(&self, object: &Value, keeps: impl Fn(&Owner) -> bool) -> Vec<Foreign> {
        let names = self.names();
        let mut search = Search {
            is_kept: names.iter().map(|owner| keeps(owner)).collect(),
            names,
            found: Vec::new(),
        };
        for name in MEANING {
            if let (Some(value), Some(node)) = (object.get(name), self.root.field(name)) {
                let mut way = FieldPath::default();
                way.field(name);
                search.visit(value, node, &mut way);
            }
        }
        search.found
    }
}

impl Search<'_> {
    fn visit(&mut self, value: &Value, node: &Node, way: &mut FieldPath) {
        let mut owners = node.owners().peekable();
        if owners.peek().is_some() && !self.keeps_any(node) {
            let owners = owners.map(|place| self.names[*place].clone());
            self.found.push(Foreign {
                field: way.path.clone(),
                pointer: way.pointer.clone(),
                owners: owners.collect(),
            });
            return;
        }
        if node.whole.iter().any(|place| self.is_kept[*place]) {
            return;
        }
        let before = way.lengths();
        match value {
            Value::Object(fields) => {
                for (key, value) in fields.iter().filter(|(key, _)| *key != CA_BUNDLE) {
                    if let Some(node) = node.field(key) {
                        way.field(key);
                        self.visit(value, node, way);
                        way.truncate(before);
                    }
                }
            }
            Value::Array(items) => {
                let mut index = ItemIndex::of(node);
                for (at, item) in items.iter().enumerate() {
                    let key = index.key(at, item);
                    if let Some(node) = key.and_then(|key| node.item(key)) {
                        way.item(key, at);
                        self.visit(item, node, way);
                        way.truncate(before);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Returns true if an owner whose fields must be kept owns this field or a part of it.
    fn keeps_any(&self, node: &Node) -> bool {
        let mut owners = node.owners();
        owners.any(|place| self.is_kept[*place]) || node.parts().any(|part| self.keeps_any(part))
    }
}
