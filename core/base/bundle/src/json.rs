//! Converts a tree to JSON for an API server.

use std::borrow::Cow;
use std::collections::BTreeMap;

use portolan_core_catalog::node::{Node, Value, number};
use serde_json::{Map, Value as Json};

use crate::typed::{LostFields, Misfit, no_json};

/// Returns the whole tree as JSON.
pub(crate) fn whole(node: &Node<'_>) -> Result<Json, Misfit> {
    convert(node, &Keep::All)
}

/// Returns the tree as JSON, without nulls and without fields that its type does not define.
pub(crate) fn known(node: &Node<'_>, lost: &LostFields) -> Result<Json, Misfit> {
    convert(node, &Keep::Known(lost))
}

/// Selects which fields of objects are kept.
enum Keep<'l> {
    All,
    Known(&'l LostFields),
    /// Keeps the fields that `Known` keeps, and nulls. For values inside a schema that the author
    /// chooses freely, where a null has a meaning.
    Free(&'l LostFields),
}

/// The keys of a schema whose values the author chooses freely.
const FREE: [&str; 3] = ["default", "enum", "example"];

fn convert(node: &Node<'_>, keep: &Keep<'_>) -> Result<Json, Misfit> {
    Ok(match &node.value {
        Value::Null | Value::Skipped => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Text(text) => Json::String(text.to_string()),
        Value::Number(text) => Json::Number(number(text).ok_or_else(|| {
            let sentence = format!("a value {}", no_json(text));
            Misfit::new(node.line, sentence)
        })?),
        Value::List(items) => {
            let items = items.iter().map(|item| convert(item, keep));
            Json::Array(items.collect::<Result<_, _>>()?)
        }
        Value::Map(entries) => {
            let mut map = Map::new();
            for (key, value) in entries {
                if let Some(keep) = keep.below(key, value) {
                    map.insert(key.to_string(), convert(value, &keep)?);
                }
            }
            Json::Object(map)
        }
    })
}

// === impl Keep ===

impl<'l> Keep<'l> {
    /// Returns the selection for the value of a key. Returns None if the key is dropped.
    fn below(&self, key: &str, value: &Node<'_>) -> Option<Keep<'l>> {
        match self {
            Self::All => Some(Self::All),
            Self::Known(lost) | Self::Free(lost) if lost.contains(value) => None,
            Self::Known(lost) if FREE.contains(&key) => Some(Self::Free(lost)),
            Self::Known(lost) => (value.value != Value::Null).then_some(Self::Known(lost)),
            Self::Free(lost) => Some(Self::Free(lost)),
        }
    }
}

/// Keeps only the last of several equal keys, as Go does. Adds the other keys to `twins`, each with
/// its line.
pub(crate) fn without_twins(node: &mut Node<'_>, twins: &mut Vec<(u64, String)>) {
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| without_twins(item, twins)),
        Value::Map(entries) => {
            let places = entries.iter().enumerate();
            let last: BTreeMap<Cow<'_, str>, usize> =
                places.map(|(at, (key, _))| (key.clone(), at)).collect();
            if last.len() < entries.len() {
                let all = std::mem::take(entries).into_iter().enumerate();
                for (at, (key, value)) in all {
                    if last.get(&key) == Some(&at) {
                        entries.push((key, value));
                    } else {
                        twins.push((value.line, key.into_owned()));
                    }
                }
            }
            entries
                .iter_mut()
                .for_each(|(_, value)| without_twins(value, twins));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Skipped => {}
    }
}
