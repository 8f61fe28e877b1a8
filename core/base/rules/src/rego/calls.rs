//! The functions of OPA that rules may call, and a check of each call.

use std::collections::BTreeSet;

use portolan_core_names::nearest;
use regorus::unstable::{Expr, Span};

use crate::rego::RuleFault;

/// The functions of OPA that rules may call. They depend only on their arguments, and on the time
/// that the caller of the rule passes. Rules may also call functions that they define.
pub const OFFERED: &[&str] = &[
    "abs",
    "array.concat",
    "array.reverse",
    "array.slice",
    "bits.and",
    "bits.lsh",
    "bits.negate",
    "bits.or",
    "bits.rsh",
    "bits.xor",
    "ceil",
    "concat",
    "contains",
    "count",
    "endswith",
    "floor",
    "format_int",
    "indexof",
    "indexof_n",
    "intersection",
    "is_array",
    "is_boolean",
    "is_null",
    "is_number",
    "is_object",
    "is_set",
    "is_string",
    "json.filter",
    "json.is_valid",
    "json.marshal",
    "json.remove",
    "json.unmarshal",
    "lower",
    "max",
    "min",
    "numbers.range",
    "numbers.range_step",
    "object.filter",
    "object.get",
    "object.keys",
    "object.remove",
    "object.subset",
    "object.union",
    "object.union_n",
    "print",
    "product",
    "regex.find_n",
    "regex.is_valid",
    "regex.match",
    "regex.replace",
    "regex.split",
    "replace",
    "round",
    "semver.compare",
    "semver.is_valid",
    "sort",
    "split",
    "sprintf",
    "startswith",
    "strings.any_prefix_match",
    "strings.any_suffix_match",
    "strings.count",
    "strings.replace_n",
    "strings.reverse",
    "substring",
    "sum",
    "time.add_date",
    "time.clock",
    "time.date",
    "time.format",
    "time.now_ns",
    "time.parse_duration_ns",
    "time.parse_rfc3339_ns",
    "time.weekday",
    "to_number",
    "trace",
    "trim",
    "trim_left",
    "trim_prefix",
    "trim_right",
    "trim_space",
    "trim_suffix",
    "type_name",
    "union",
    "units.parse",
    "units.parse_bytes",
    "upper",
    "walk",
];

/// Checks that a rule may call this function. `defined` has the functions that the rule defines.
pub(crate) fn check(called: &Expr, defined: &BTreeSet<String>) -> Result<(), RuleFault> {
    let function = path(called).unwrap_or_default();
    let own = function.strip_prefix("data.portolan.policy.");
    if OFFERED.contains(&function.as_str()) || defined.contains(own.unwrap_or(&function)) {
        return Ok(());
    }
    let message = format!(
        "calls {function}, which is not a function here{}",
        hint(&function)
    );
    let begin = begin(called);
    Err(RuleFault::at(begin.line.into(), begin.col.into(), message))
}

fn hint(function: &str) -> String {
    match nearest(function, OFFERED.iter()) {
        Some(nearest) => format!("; did you mean {nearest}?"),
        None => "; available functions depend only on their arguments".to_owned(),
    }
}

/// Returns a reference in the form `a.b.c`. Returns None if a part is known only during evaluation.
pub(crate) fn path(reference: &Expr) -> Option<String> {
    let (refr, field) = match reference {
        Expr::Var { span, .. } => return Some(span.text().to_owned()),
        Expr::RefDot { refr, field, .. } => (refr, field.0.text()),
        Expr::RefBrack { refr, index, .. } => match &**index {
            Expr::String { value, .. } => (refr, &**value.as_string().ok()?),
            _ => return None,
        },
        _ => return None,
    };
    Some(format!("{}.{field}", path(refr)?))
}

/// Returns the position of the first part of a reference. The span of a dotted reference covers
/// only its last part.
fn begin(reference: &Expr) -> &Span {
    match reference {
        Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } => begin(refr),
        other => other.span(),
    }
}
