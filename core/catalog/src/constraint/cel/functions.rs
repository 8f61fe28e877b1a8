//! The functions that a rule can call, and whether it is plainly true or false, as OLM wants it to
//! be.

use std::fmt::Display;

use cel::common::ast::{Expr, LiteralValue, operators};
use cel::common::types::{CelDouble, CelInt, CelString, CelUInt, DYN_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{Env, ExecutionError};
use portolan_core_names::Version;

use super::values::{self, SORTED};

pub(super) const SEMVER_COMPARE: &str = "semver_compare";

/// The standard environment and [`semver_compare`].
pub(super) fn env() -> Env {
    let mut env = Env::stdlib();
    let arguments = vec![DYN_TYPE, DYN_TYPE];
    env.add_overload(SEMVER_COMPARE, SEMVER_COMPARE, arguments, semver_compare)
        .expect("the standard must have no function of that name");
    values::declare(&mut env);
    env
}

/// -1, 0 or 1, as the first version is below, like or above the second.
fn semver_compare<'b, 'v>(
    arguments: Vec<CowVal<'b, 'v>>,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [left, right] = arguments.as_slice() else {
        return Err(ExecutionError::invalid_argument_count(2, arguments.len()));
    };
    let order = version(left.as_ref())?.cmp(&version(right.as_ref())?);
    Ok(CowVal::owned(CelInt::from(i64::from(order as i8))))
}

fn version(value: &dyn Val) -> Result<Version, ExecutionError> {
    let texts = [
        value
            .downcast_ref::<CelString<'_>>()
            .map(|text| text.inner().to_owned()),
        value.downcast_ref::<CelInt>().map(written),
        value.downcast_ref::<CelUInt>().map(written),
        value.downcast_ref::<CelDouble>().map(written),
    ];
    let text = texts.into_iter().flatten().next().unwrap_or_default();
    tolerant(&text).ok_or_else(|| ExecutionError::function_error(SEMVER_COMPARE, "no version"))
}

fn written<T: std::ops::Deref<Target: Display>>(number: &T) -> String {
    number.deref().to_string()
}

/// Reads a version as tolerantly as OLM does here: blanks around it, a leading `v`, leading zeros
/// and missing numbers are passed over.
fn tolerant(text: &str) -> Option<Version> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 && parts.last()?.contains(['+', '-']) {
        return None;
    }
    parts.resize(3, "0".to_owned());
    Version::parse(&parts.join(".")).ok()
}

fn without_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_owned();
    }
    let rest = part.trim_start_matches('0');
    if rest.starts_with(|first: char| first.is_ascii_digit()) {
        rest.to_owned()
    } else {
        format!("0{rest}")
    }
}

/// The types, which are names as well.
pub(super) const TYPES: [&str; 9] = [
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "uint",
];

/// Functions that are either true or false.
pub(super) const CLAIMS: [&str; 14] = [
    operators::LOGICAL_AND,
    operators::LOGICAL_OR,
    operators::LOGICAL_NOT,
    operators::EQUALS,
    operators::NOT_EQUALS,
    operators::GREATER,
    operators::GREATER_EQUALS,
    operators::LESS,
    operators::LESS_EQUALS,
    operators::IN,
    "bool",
    "contains",
    "endsWith",
    "startsWith",
];

/// Functions that are something else.
pub(super) const FUNCTIONS: [&str; 18] = [
    operators::CONDITIONAL,
    operators::NOT_STRICTLY_FALSE,
    operators::ADD,
    operators::SUBSTRACT,
    operators::MULTIPLY,
    operators::DIVIDE,
    operators::MODULO,
    operators::NEGATE,
    operators::INDEX,
    "double",
    "dyn",
    "int",
    "size",
    "string",
    "type",
    "uint",
    SEMVER_COMPARE,
    SORTED,
];

/// Whether it is true or false whatever the names in it stand for.
pub(super) fn is_claim(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(LiteralValue::Boolean(_)) => true,
        Expr::Select(select) => select.test,
        Expr::Call(call) if call.func_name == operators::CONDITIONAL => {
            call.args.iter().skip(1).all(|arm| is_claim(&arm.expr))
        }
        Expr::Call(call) => CLAIMS.contains(&call.func_name.as_str()),
        // The result of `all` and `exists` is the accumulator, which starts as what it will be.
        Expr::Comprehension(comprehension) => {
            let result = &comprehension.result.expr;
            let is_accumulator = matches!(result, Expr::Ident(_));
            is_claim(result) || is_accumulator && is_claim(&comprehension.accu_init.expr)
        }
        Expr::Unspecified
        | Expr::Ident(_)
        | Expr::List(_)
        | Expr::Literal(_)
        | Expr::Map(_)
        | Expr::Struct(_) => false,
    }
}
