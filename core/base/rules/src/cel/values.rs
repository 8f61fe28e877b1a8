//! Converts JSON to values of CEL.

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr};
use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt, DYN_TYPE,
};
use cel::common::value::{CowVal, Val};
use cel::{Env, ExecutionError, IdedExpr};
use serde_json::{Number, Value as Json};

use crate::cel::bounds::Bounds;

/// The type of the numbers in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Every number is a double, as in JSON parsers without integers.
    Doubles,
    /// A number without a fraction is an integer, as in Kubernetes.
    Integers,
}

/// A value on which a rule is evaluated.
#[derive(Debug)]
pub struct Value {
    pub(crate) val: Box<dyn Val>,
    pub(crate) bounds: Bounds,
}

impl Value {
    /// Converts JSON to a value of CEL.
    pub fn of(json: Json, numbers: Numbers) -> Self {
        let mut bounds = Bounds::ONE;
        let val = val(json, numbers, &mut bounds);
        Self { val, bounds }
    }
}

fn val(value: Json, numbers: Numbers, bounds: &mut Bounds) -> Box<dyn Val> {
    match value {
        Json::Null => Box::new(CelNull),
        Json::Bool(value) => Box::new(CelBool::from(value)),
        Json::Number(value) => number(&value, numbers),
        Json::String(text) => {
            bounds.add_text(text.len());
            Box::new(CelString::from(text))
        }
        Json::Array(items) => {
            bounds.add(Bounds::of_list(items.len()));
            let items = items.into_iter().map(|item| val(item, numbers, bounds));
            Box::new(CelList::from(items.collect::<Vec<_>>()))
        }
        Json::Object(entries) => {
            bounds.add(Bounds::of_list(entries.len()));
            map(entries
                .into_iter()
                .map(|(key, value)| (key, val(value, numbers, bounds))))
        }
    }
}

fn number(number: &Number, numbers: Numbers) -> Box<dyn Val> {
    if numbers == Numbers::Integers {
        if let Some(number) = number.as_i64() {
            return Box::new(CelInt::from(number));
        }
        if let Some(number) = number.as_u64() {
            return Box::new(CelUInt::from(number));
        }
    }
    Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN)))
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

/// The name of an internal function. Authors cannot call it, because `@` is invalid in names.
pub(crate) const SORTED: &str = "@sorted";

pub(crate) fn declare(env: &mut Env) {
    env.add_overload(SORTED, SORTED, vec![DYN_TYPE], sorted)
        .expect("the standard must have no function of that name");
}

/// Sorts the input of every `map` and `filter` in an expression, so that the order of a hash map
/// has no effect.
pub(crate) fn settle(expression: &mut IdedExpr) {
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

/// Returns the sorted keys of a map. Returns any other value unchanged.
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
