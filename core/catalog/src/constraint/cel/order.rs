//! The same answer every time, whatever the order of hashes.
//!
//! The maps of the interpreter have no order, and two macros make lists of what they go through:
//! `map` and `filter`. Where they go through the keys of a map, the keys are sorted first. The
//! other macros say the same in any order.

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr};
use cel::common::types::{CelList, CelMap, DYN_TYPE};
use cel::common::value::CowVal;
use cel::{Env, ExecutionError, IdedExpr};

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
