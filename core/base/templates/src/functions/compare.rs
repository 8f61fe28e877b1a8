//! Functions that compare values.

use std::cmp::Ordering;

use super::{Function, Kind};
use crate::host::Failure;
use crate::value::{Shape, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("eq", &[Kind::Value], |_, values| Ok(eq(values)?.into())).and(Kind::Value),
    Function::new("ne", &[Kind::Value, Kind::Value], |_, values| {
        Ok((!eq(values)?).into())
    }),
    Function::new("lt", &[Kind::Value, Kind::Value], |_, values| {
        Ok((order(values)? == Some(Ordering::Less)).into())
    }),
    Function::new("le", &[Kind::Value, Kind::Value], |_, values| {
        Ok((order(values)?.is_some_and(Ordering::is_le)).into())
    }),
    // If two values have no order, neither "less" nor "equal" is true, so Go returns true for
    // "greater".
    Function::new("gt", &[Kind::Value, Kind::Value], |_, values| {
        Ok((!order(values)?.is_some_and(Ordering::is_le)).into())
    }),
    Function::new("ge", &[Kind::Value, Kind::Value], |_, values| {
        Ok((order(values)? != Some(Ordering::Less)).into())
    }),
];

/// A value that `eq` and `lt` can compare.
enum Basic<'a> {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Text(&'a [u8]),
}

/// Returns true if the first argument equals at least one other argument.
fn eq(values: &[Value]) -> Result<bool, Failure> {
    let [first, others @ ..] = values else {
        return Err("missing argument for comparison".into());
    };
    if others.is_empty() {
        return Err("missing argument for comparison".into());
    }
    for other in others {
        let is_equal = match (basic(first), basic(other)) {
            (Some(first_value), Some(other_value)) => match compared(&first_value, &other_value) {
                Some(order) => order == Some(Ordering::Equal),
                None => return Err(incompatible(first, other)),
            },
            (None, None) => same(first, other)?,
            (None, Some(_)) | (Some(_), None) if first.is_nothing() || other.is_nothing() => false,
            (None, Some(_)) | (Some(_), None) => return Err(incompatible(first, other)),
        };
        if is_equal {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Compares lists, maps and other values that have no order. A list or a map equals only nil, and
/// only if it is nil itself.
fn same(first: &Value, other: &Value) -> Result<bool, Failure> {
    let is_nil = |value: &Value| match &value.shape {
        Shape::Map(map) => map.borrow().is_nil,
        shape => matches!(shape, Shape::Missing | Shape::Null),
    };
    let has_same_kind = first.shape.kind_name() == other.shape.kind_name();
    if !has_same_kind && !first.is_nothing() && !other.is_nothing() {
        return Err(format!(
            "non-comparable types {}, {}",
            first.shape.type_name(),
            other.shape.type_name()
        )
        .into());
    }
    if is_nil(first) || is_nil(other) {
        return Ok(is_nil(first) == is_nil(other));
    }
    match (&first.shape, &other.shape) {
        (Shape::Empty, Shape::Empty) => Ok(true),
        (Shape::Time(first), Shape::Time(other)) => Ok(first == other),
        // Versions are pointers in Go. Each call of `semver` returns another pointer.
        (Shape::Version(first), Shape::Version(other)) => Ok(std::rc::Rc::ptr_eq(first, other)),
        _ => Err(format!("non-comparable type {}", other.shape.type_name()).into()),
    }
}

fn order(values: &[Value]) -> Result<Option<Ordering>, Failure> {
    let (first, other) = (&values[0], &values[1]);
    let (Some(first_value), Some(other_value)) = (basic(first), basic(other)) else {
        return Err("invalid type for comparison".into());
    };
    match (&first_value, &other_value) {
        (Basic::Bool(_), Basic::Bool(_)) => Err("invalid type for comparison".into()),
        _ => compared(&first_value, &other_value).ok_or_else(|| incompatible(first, other)),
    }
}

/// Compares two values. Returns None if their kinds differ. The inner value is None if a value is
/// not a number.
fn compared(first: &Basic<'_>, other: &Basic<'_>) -> Option<Option<Ordering>> {
    Some(match (first, other) {
        (Basic::Bool(first), Basic::Bool(other)) => Some(first.cmp(other)),
        (Basic::Int(first), Basic::Int(other)) => Some(first.cmp(other)),
        (Basic::Uint(first), Basic::Uint(other)) => Some(first.cmp(other)),
        (Basic::Int(first), Basic::Uint(other)) => Some(i128::from(*first).cmp(&(*other).into())),
        (Basic::Uint(first), Basic::Int(other)) => Some(i128::from(*first).cmp(&(*other).into())),
        (Basic::Float(first), Basic::Float(other)) => first.partial_cmp(other),
        (Basic::Text(first), Basic::Text(other)) => Some(first.cmp(other)),
        _ => return None,
    })
}

fn basic(value: &Value) -> Option<Basic<'_>> {
    match &value.shape {
        Shape::Bool(is) => Some(Basic::Bool(*is)),
        Shape::Int(number) | Shape::Int64(number) => Some(Basic::Int(*number)),
        Shape::Uint64(number) => Some(Basic::Uint(*number)),
        Shape::Byte(number) => Some(Basic::Uint((*number).into())),
        Shape::Float(number) => Some(Basic::Float(*number)),
        Shape::Text(text) => Some(Basic::Text(text)),
        Shape::Missing
        | Shape::Null
        | Shape::List(..)
        | Shape::Map(_)
        | Shape::Version(_)
        | Shape::Time(_)
        | Shape::Empty => None,
    }
}

fn incompatible(first: &Value, other: &Value) -> Failure {
    let (first, other) = (first.shape.type_name(), other.shape.type_name());
    format!("incompatible types for comparison: {first} and {other}").into()
}
