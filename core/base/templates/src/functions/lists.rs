//! The functions for lists.

use super::convert::to_int;
use super::texts::{strings, strval};
use super::{Function, Kind, Ran};
use crate::fault::Limit;
use crate::host::{Failure, Host};
use crate::value::{DEEPEST_VALUE, Elements, Shape, Value};

const LIST_AND_ONE: &[Kind] = &[Kind::Any, Kind::Any];

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("list", &[], list)
        .and(Kind::Any)
        .keeping_origins(),
    Function::new("tuple", &[], list)
        .and(Kind::Any)
        .keeping_origins(),
    Function::new("append", LIST_AND_ONE, append).keeping_origins(),
    Function::new("mustAppend", LIST_AND_ONE, append).keeping_origins(),
    Function::new("push", LIST_AND_ONE, append).keeping_origins(),
    Function::new("mustPush", LIST_AND_ONE, append).keeping_origins(),
    Function::new("prepend", LIST_AND_ONE, prepend).keeping_origins(),
    Function::new("mustPrepend", LIST_AND_ONE, prepend).keeping_origins(),
    Function::new("concat", &[], concat)
        .and(Kind::Any)
        .keeping_origins(),
    Function::new("has", LIST_AND_ONE, has),
    Function::new("mustHas", LIST_AND_ONE, has),
    Function::new("slice", &[Kind::Any], slice).and(Kind::Any),
    Function::new("mustSlice", &[Kind::Any], slice).and(Kind::Any),
    Function::new("sortAlpha", &[Kind::Any], sort_alpha),
];

fn list(host: &mut Host<'_>, values: &[Value]) -> Ran {
    host.steps(values.len())?;
    Ok(Value::list(Elements::Any, values.to_vec()))
}

/// Returns the elements of a list. Each element also depends on the Secrets of the list itself.
pub(super) fn elements(
    host: &mut Host<'_>,
    list: &Value,
    refused: &str,
) -> Result<Vec<Value>, Failure> {
    match &list.shape {
        Shape::List(_, values) => {
            host.steps(values.len())?;
            let elements = values.iter().cloned();
            Ok(elements
                .map(|value| value.depending_on(&list.origins))
                .collect())
        }
        Shape::Missing | Shape::Null => Err(nil_type()),
        other => Err(refused.replace("{}", other.kind_name()).into()),
    }
}

/// Returns the message of Go's panic if code asks for the type of nil.
fn nil_type() -> Failure {
    "runtime error: invalid memory address or nil pointer dereference".into()
}

fn append(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut list = elements(host, &values[0], "Cannot push on type {}")?;
    list.push(values[1].clone());
    let origins = &values[0].origins;
    Ok(Value::list(Elements::Any, list).depending_on(origins))
}

fn prepend(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut list = elements(host, &values[0], "Cannot prepend on type {}")?;
    list.insert(0, values[1].clone());
    let origins = &values[0].origins;
    Ok(Value::list(Elements::Any, list).depending_on(origins))
}

fn concat(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut all = Vec::new();
    for list in values {
        all.extend(elements(host, list, "Cannot concat type {} as list")?);
    }
    let all = Value::list(Elements::Any, all);
    Ok(values
        .iter()
        .fold(all, |all, list| all.depending_on(&list.origins)))
}

fn has(host: &mut Host<'_>, values: &[Value]) -> Ran {
    if values[1].is_nothing() {
        return Ok(false.into());
    }
    let list = elements(host, &values[1], "Cannot find has on type {}")?;
    let mut has = false;
    for element in list {
        has |= is_same(host, &values[0], &element)?;
    }
    Ok(has.into())
}

/// Returns true if two values have the same type and equal content.
pub(super) fn is_same(host: &mut Host<'_>, first: &Value, other: &Value) -> Result<bool, Failure> {
    is_same_within(host, first, other, DEEPEST_VALUE)
}

fn is_same_within(
    host: &mut Host<'_>,
    first: &Value,
    other: &Value,
    deepest: usize,
) -> Result<bool, Failure> {
    let deepest = deepest.checked_sub(1).ok_or(Limit::Nesting)?;
    host.steps(1)?;
    Ok(match (&first.shape, &other.shape) {
        (Shape::Missing | Shape::Null, Shape::Missing | Shape::Null) => true,
        (Shape::Bool(first), Shape::Bool(other)) => first == other,
        (Shape::Int(first), Shape::Int(other)) | (Shape::Int64(first), Shape::Int64(other)) => {
            first == other
        }
        (Shape::Uint64(first), Shape::Uint64(other)) => first == other,
        (Shape::Byte(first), Shape::Byte(other)) => first == other,
        (Shape::Float(first), Shape::Float(other)) => first == other,
        (Shape::Text(first), Shape::Text(other)) => first == other,
        (Shape::Time(first), Shape::Time(other)) => first == other,
        (Shape::Version(first), Shape::Version(other)) => first == other,
        (Shape::List(kind, first), Shape::List(other_kind, other)) => {
            let mut is_equal = kind == other_kind && first.len() == other.len();
            for (first, other) in first.iter().zip(other.iter()) {
                is_equal = is_equal && is_same_within(host, first, other, deepest)?;
            }
            is_equal
        }
        (Shape::Map(first), Shape::Map(other)) => {
            let (first, other) = (first.borrow(), other.borrow());
            let mut is_equal =
                first.elements == other.elements && first.entries.len() == other.entries.len();
            for (key, value) in &first.entries {
                is_equal = is_equal
                    && match other.entries.get(key) {
                        Some(other) => is_same_within(host, value, other, deepest)?,
                        None => false,
                    };
            }
            is_equal
        }
        _ => false,
    })
}

fn slice(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let (kind, list) = match &values[0].shape {
        Shape::List(kind, list) => (*kind, list),
        Shape::Missing | Shape::Null => return Err(nil_type()),
        other => {
            let of = other.kind_name();
            return Err(format!("list should be type of slice or array but {of}").into());
        }
    };
    if list.is_empty() {
        return Ok(Shape::Null.into());
    }
    let start = values.get(1).map_or(0, to_int);
    let end = values.get(2).map(to_int);
    let end = end.map_or(Some(list.len()), |end| usize::try_from(end).ok());
    let start = usize::try_from(start).ok();
    let cut = start.zip(end).and_then(|(start, end)| list.get(start..end));
    match cut {
        Some(cut) => Ok(Value::list(kind, cut.to_vec())),
        None => Err("reflect.Value.Slice: slice index out of bounds".into()),
    }
}

fn sort_alpha(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut texts = match &values[0].shape {
        Shape::List(..) => strings(host, &values[0])?,
        _ => vec![strval(&values[0])?],
    };
    host.steps(texts.len())?;
    texts.sort();
    Ok(Value::texts(texts))
}
