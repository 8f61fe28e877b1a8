//! The fields that others added to an object.

use serde_json::Value;

use super::set::{ItemIndex, Node};
use super::{Fields, Owner, Way};

/// The fields of an object below which lies what it is meant to be.
const MEANING: [&str; 6] = [
    "binaryData",
    "data",
    "rules",
    "spec",
    "subjects",
    "webhooks",
];
/// A field that others write into wherever it is, such as controllers that sign certificates.
const CA_BUNDLE: &str = "caBundle";

/// A field that others own alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// As the API server writes it, such as `.spec.paused`.
    pub field: String,
    /// Its place in the object, as a JSON pointer.
    pub pointer: String,
    pub owners: Vec<Owner>,
}

/// The search for such fields.
struct Search<'f> {
    names: Vec<&'f Owner>,
    /// By their places: those whose fields stay.
    is_kept: Vec<bool>,
    found: Vec<Foreign>,
}

impl Fields {
    /// The fields that only others own, of what an object is meant to be: the largest fields of
    /// which no owner whose fields are kept has any part, in the order of the object. A field that
    /// has no owner is a default.
    pub fn foreign(&self, object: &Value, keeps: impl Fn(&Owner) -> bool) -> Vec<Foreign> {
        let names = self.names();
        let mut search = Search {
            is_kept: names.iter().map(|owner| keeps(owner)).collect(),
            names,
            found: Vec::new(),
        };
        for name in MEANING {
            if let (Some(value), Some(node)) = (object.get(name), self.root.field(name)) {
                let mut way = Way::default();
                way.field(name);
                search.visit(value, node, &mut way);
            }
        }
        search.found
    }
}

impl Search<'_> {
    fn visit(&mut self, value: &Value, node: &Node, way: &mut Way) {
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

    /// Whether one whose fields are kept has a part of it.
    fn keeps_any(&self, node: &Node) -> bool {
        let mut owners = node.owners();
        owners.any(|place| self.is_kept[*place]) || node.parts().any(|part| self.keeps_any(part))
    }
}
