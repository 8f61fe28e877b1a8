//! Properties as a rule sees them.

use std::borrow::Cow;

use cel::common::types::{CelBool, CelDouble, CelList, CelMap, CelMapKey, CelNull, CelString};
use cel::common::value::Val;
use serde_json::Value;

use super::Bounds;

/// The most bytes of properties that a rule is asked about. Real bundles have a few thousand.
const MOST_BYTES: usize = 1 << 20;

/// The list, and how big it is; None if it is too big, or a value is no JSON.
pub(super) fn list(properties: &[(&str, Cow<'_, str>)]) -> Option<(CelList<'static>, Bounds)> {
    let bytes: usize = properties.iter().map(|(_, value)| value.len()).sum();
    if bytes > MOST_BYTES {
        return None;
    }
    let mut bounds = Bounds::of_list(properties.len());
    let mut items: Vec<Box<dyn Val>> = Vec::with_capacity(properties.len());
    for (kind, json) in properties {
        let value: Value = serde_json::from_str(json).ok()?;
        let value = val(value, &mut bounds);
        let kind = val(Value::from(*kind), &mut bounds);
        items.push(map([
            ("type".to_owned(), kind),
            ("value".to_owned(), value),
        ]));
    }
    Some((items.into(), bounds))
}

fn val(value: Value, bounds: &mut Bounds) -> Box<dyn Val> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(value) => Box::new(CelBool::from(value)),
        // A number beyond doubles does not exist in JSON as OLM reads it.
        Value::Number(number) => Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN))),
        Value::String(text) => {
            bounds.add_text(text.len());
            Box::new(CelString::from(text))
        }
        Value::Array(items) => {
            bounds.add(Bounds::of_list(items.len()));
            let items = items.into_iter().map(|item| val(item, bounds));
            Box::new(CelList::from(items.collect::<Vec<_>>()))
        }
        Value::Object(entries) => {
            bounds.add(Bounds::of_list(entries.len()));
            map(entries
                .into_iter()
                .map(|(key, value)| (key, val(value, bounds))))
        }
    }
}

fn map(entries: impl IntoIterator<Item = (String, Box<dyn Val>)>) -> Box<dyn Val> {
    let entries = entries.into_iter();
    #[expect(
        clippy::disallowed_types,
        reason = "CEL has no other; `order` sees to the rest"
    )]
    let entries: std::collections::HashMap<_, _> = entries
        .map(|(key, value)| (CelMapKey::from(key), value))
        .collect();
    Box::new(CelMap::from(entries))
}
