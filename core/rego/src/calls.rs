//! The calls of a rule, known before it is evaluated.

use std::collections::BTreeSet;

use portolan_core_names::nearest;
use serde_json::Value;

use crate::Fault;

/// The functions that rules may call, beside those that they define. It is what of OPA needs nothing but
/// its arguments and the time of the question.
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

/// The answer of a rule.
const ALLOW: &str = "allow";

/// Looks through a module as the engine has read it.
pub(crate) fn check(modules: &Value) -> Result<(), Fault> {
    let rules = &modules[0]["ast"]["rules"];
    let names: BTreeSet<_> = rules
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(name)
        .collect();
    if !names.contains(ALLOW) {
        return Err(Fault {
            line: 1,
            column: 1,
            message: format!("has no rule {ALLOW}; write {ALLOW} if {{ … }}"),
        });
    }
    calls(rules, &names)
}

/// Returns the name of a rule of any kind, also of a default one.
fn name(rule: &Value) -> Option<String> {
    let head = match rule.get("Default") {
        Some(default) => default,
        None => rule["Spec"]["head"].as_object()?.values().next()?,
    };
    path(&head["refr"])
}

fn calls(value: &Value, defined: &BTreeSet<String>) -> Result<(), Fault> {
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| calls(item, defined)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            if name == "Call" {
                call(value, defined)?;
            }
            calls(value, defined)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn call(call: &Value, defined: &BTreeSet<String>) -> Result<(), Fault> {
    let function = path(&call["fcn"]).unwrap_or_default();
    let own = function
        .strip_prefix("data.portolan.policy.")
        .unwrap_or(&function);
    if OFFERED.contains(&function.as_str()) || defined.contains(own) {
        return Ok(());
    }
    let place = span(&call["fcn"]);
    let number = |at: &str| place.and_then(|place| place[at].as_u64()).unwrap_or(1);
    // That of a call with dots is its last one.
    let start = first(&call["fcn"]).and_then(|first| first["col"].as_u64());
    let message = format!(
        "calls {function}, which is no function here{}",
        hint(&function)
    );
    Err(Fault::at(
        number("line"),
        start.unwrap_or_else(|| number("col")),
        message,
    ))
}

fn hint(function: &str) -> String {
    match nearest(function, OFFERED.iter()) {
        Some(nearest) => format!("; did you mean {nearest}?"),
        None => "; what can be called needs nothing but its arguments".to_owned(),
    }
}

/// `a.b.c`, from the variable on.
fn path(reference: &Value) -> Option<String> {
    let (kind, inner) = reference.as_object()?.iter().next()?;
    match kind.as_str() {
        "Var" => Some(inner["value"].as_str()?.to_owned()),
        "RefDot" => Some(format!(
            "{}.{}",
            path(&inner["refr"])?,
            inner["field"][1].as_str()?
        )),
        "RefBrack" => {
            let index = inner["index"]["String"]["value"].as_str();
            Some(format!("{}.{}", path(&inner["refr"])?, index?))
        }
        _ => None,
    }
}

fn span(reference: &Value) -> Option<&Value> {
    Some(&reference.as_object()?.values().next()?["span"])
}

/// Returns the beginning of a reference.
fn first(reference: &Value) -> Option<&Value> {
    let inner = reference.as_object()?.values().next()?;
    match inner.get("refr") {
        Some(refr) => first(refr),
        None => inner.get("span"),
    }
}
