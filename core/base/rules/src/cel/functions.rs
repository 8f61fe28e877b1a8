//! The functions that every rule can call, and the check that a rule is a boolean expression.

use cel::common::ast::{Expr, LiteralValue, operators};

use crate::cel::values::SORTED;

/// The type names that rules can use.
pub(crate) const TYPES: [&str; 9] = [
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

/// The functions with a boolean result.
pub(crate) const CLAIMS: [&str; 14] = [
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

/// The other functions.
const FUNCTIONS: [&str; 17] = [
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
    SORTED,
];

pub(crate) fn is_standard(name: &str) -> bool {
    CLAIMS.contains(&name) || FUNCTIONS.contains(&name)
}

/// Returns true if the result of the expression is always a boolean, for any input.
pub(crate) fn is_claim(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(LiteralValue::Boolean(_)) => true,
        Expr::Select(select) => select.test,
        Expr::Call(call) if call.func_name == operators::CONDITIONAL => {
            call.args.iter().skip(1).all(|arm| is_claim(&arm.expr))
        }
        Expr::Call(call) => CLAIMS.contains(&call.func_name.as_str()),
        // The result of `all` and `exists` is the accumulator. Its type is the type of its initial
        // value.
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
