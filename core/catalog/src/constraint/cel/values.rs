//! Properties as a rule sees them.

use std::borrow::Cow;

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr};
use cel::common::types::{
    CelBool, CelDouble, CelList, CelMap, CelMapKey, CelNull, CelString, DYN_TYPE,
};
use cel::common::value::{CowVal, Val};
use cel::{Env, ExecutionError, IdedExpr};
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
        reason = "CEL has no other; `settle` sees to the rest"
    )]
    let entries: std::collections::HashMap<_, _> = entries
        .map(|(key, value)| (CelMapKey::from(key), value))
        .collect();
    Box::new(CelMap::from(entries))
}

/// No author can write that name.
pub(super) const SORTED: &str = "@sorted";

pub(super) fn declare(env: &mut Env) {
    env.add_overload(SORTED, SORTED, vec![DYN_TYPE], sorted)
        .expect("the standard must have no function of that name");
}

/// Sorts what every `map` and `filter` of an expression goes through.
pub(super) fn settle(expression: &mut IdedExpr) {
    match &mut expression.expr {
        Expr::Call(CallExpr { target, args, .. }) => {
            target.iter_mut().for_each(|target| settle(target));
            args.iter_mut().for_each(settle);
        }
        Expr::Comprehension(comprehension) => settle_all(comprehension),
        Expr::List(list) => list.elements.iter_mut().for_each(settle),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    settle(&mut entry.key);
                    settle(&mut entry.value);
                }
            }
        }
        Expr::Select(select) => settle(&mut select.operand),
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) => {}
    }
}

fn settle_all(comprehension: &mut ComprehensionExpr) {
    let parts = [
        &mut comprehension.iter_range,
        &mut comprehension.loop_cond,
        &mut comprehension.loop_step,
        &mut comprehension.result,
    ];
    parts.into_iter().for_each(settle);
    if matches!(&comprehension.accu_init.expr, Expr::List(_)) {
        let range = &mut comprehension.iter_range;
        range.expr = Expr::Call(CallExpr {
            func_name: SORTED.to_owned(),
            target: None,
            args: vec![std::mem::take(range)],
        });
    }
}

/// The keys of a map in an order that is always the same; anything else as it is.
fn sorted<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let Some(argument) = arguments.pop() else {
        return Err(ExecutionError::invalid_argument_count(1, 0));
    };
    let Some(map) = argument.downcast_ref::<CelMap<'_>>() else {
        return Ok(argument);
    };
    let mut keys: Vec<_> = map.inner().keys().collect();
    keys.sort_by_cached_key(|key| format!("{key:?}"));
    let keys = keys.into_iter().map(|key| key.inner().clone_as_boxed());
    Ok(CowVal::owned(CelList::from(keys.collect::<Vec<_>>())))
}
