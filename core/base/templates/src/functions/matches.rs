//! The functions for regular expressions.

use super::{Function, Kind, Ran, made, string};
use crate::fault::Limit;
use crate::host::{Failure, Host};
use crate::patterns::{Pattern, escaped};
use crate::quote::quoted;
use crate::value::Value;

const TWO: &[Kind] = &[Kind::Text, Kind::Text];
const TEXTS: &[Kind] = &[Kind::Text, Kind::Text, Kind::Text];
const THREE: &[Kind] = &[Kind::Text, Kind::Text, Kind::Int];

/// The number of steps that are counted for parsing a pattern.
const STEPS: usize = 500;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("regexMatch", TWO, |host, values| {
        let matched = pattern(host, &values[0]).map(|pattern| pattern.matches(&string(&values[1])));
        match matched {
            Ok(is) => Ok(is.into()),
            Err(Failure::Said(_)) => Ok(false.into()),
            Err(failure) => Err(failure),
        }
    }),
    Function::new("mustRegexMatch", TWO, |host, values| {
        Ok(pattern(host, &values[0])?
            .matches(&string(&values[1]))
            .into())
    }),
    Function::new("regexFind", TWO, |host, values| {
        let pattern = compiled(host, &values[0])?;
        made(host, pattern.find(&string(&values[1])))
    }),
    Function::new("mustRegexFind", TWO, |host, values| {
        let pattern = pattern(host, &values[0])?;
        made(host, pattern.find(&string(&values[1])))
    }),
    Function::new("regexFindAll", THREE, |host, values| {
        let pattern = compiled(host, &values[0])?;
        all(host, &pattern, values)
    }),
    Function::new("mustRegexFindAll", THREE, |host, values| {
        let pattern = pattern(host, &values[0])?;
        all(host, &pattern, values)
    }),
    Function::new("regexSplit", THREE, |host, values| {
        let pattern = compiled(host, &values[0])?;
        split(host, &pattern, values)
    }),
    Function::new("mustRegexSplit", THREE, |host, values| {
        let pattern = pattern(host, &values[0])?;
        split(host, &pattern, values)
    }),
    Function::new("regexReplaceAll", TEXTS, |host, values| {
        let pattern = compiled(host, &values[0])?;
        replaced(host, &pattern, values, false)
    }),
    Function::new("mustRegexReplaceAll", TEXTS, |host, values| {
        let pattern = pattern(host, &values[0])?;
        replaced(host, &pattern, values, false)
    }),
    Function::new("regexReplaceAllLiteral", TEXTS, |host, values| {
        let pattern = compiled(host, &values[0])?;
        replaced(host, &pattern, values, true)
    }),
    Function::new("mustRegexReplaceAllLiteral", TEXTS, |host, values| {
        let pattern = pattern(host, &values[0])?;
        replaced(host, &pattern, values, true)
    }),
    Function::new("regexQuoteMeta", &[Kind::Text], |host, values| {
        made(host, escaped(&string(&values[0])))
    }),
];

fn pattern(host: &mut Host<'_>, text: &Value) -> Result<Pattern, Failure> {
    host.steps(STEPS)?;
    Ok(Pattern::parse(&string(text))?)
}

/// Compiles a pattern for a function that panics in Go if the pattern is invalid. The error has the
/// text of this panic.
fn compiled(host: &mut Host<'_>, text: &Value) -> Result<Pattern, Failure> {
    let text_of = string(text);
    let quoted = if text_of.contains('`') {
        quoted(text_of.as_bytes())
    } else {
        format!("`{text_of}`")
    };
    match pattern(host, text) {
        Err(Failure::Said(error)) => Err(format!("regexp: Compile({quoted}): {error}").into()),
        pattern => pattern,
    }
}

fn all(host: &mut Host<'_>, pattern: &Pattern, values: &[Value]) -> Ran {
    let found = pattern.all(&string(&values[1]), super::int(&values[2]));
    host.steps(found.len())?;
    Ok(Value::texts(found))
}

fn split(host: &mut Host<'_>, pattern: &Pattern, values: &[Value]) -> Ran {
    let parts = pattern.split(&string(&values[1]), super::int(&values[2]));
    host.steps(parts.len())?;
    Ok(Value::texts(parts))
}

fn replaced(host: &mut Host<'_>, pattern: &Pattern, values: &[Value], is_literal: bool) -> Ran {
    let (source, by) = (string(&values[1]), string(&values[2]));
    let replaced = pattern.replaced(&source, &by, is_literal);
    made(host, replaced.ok_or(Failure::Cut(Limit::Bytes))?)
}
