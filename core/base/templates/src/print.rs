//! Formats values as Go's package fmt does.

mod one;
mod verb;

use crate::fault::Limit;
use crate::number::shortest;
use crate::time;
use crate::value::{DEEPEST_VALUE, Map, Shape, Value};

pub(crate) use verb::printf;

/// Formats a value as `{{ }}` does.
///
/// # Errors
///
/// Returns an error if the value is nested too deeply.
pub(crate) fn printed(value: &Value) -> Result<Vec<u8>, Limit> {
    if value.is_nothing() {
        return Ok(b"<no value>".to_vec());
    }
    plain(value)
}

/// Formats a value as Go's `%v` does.
///
/// # Errors
///
/// Returns an error if the value is nested too deeply.
pub(crate) fn plain(value: &Value) -> Result<Vec<u8>, Limit> {
    let mut out = Vec::new();
    write(&mut out, value, DEEPEST_VALUE, &mut |out, value| {
        scalar(out, value);
    })?;
    Ok(out)
}

/// Formats values as Go's `print` does. Writes a blank between two values if neither of them is a
/// text.
///
/// # Errors
///
/// Returns an error if a value is nested too deeply.
pub(crate) fn print(values: &[Value]) -> Result<Vec<u8>, Limit> {
    let mut out = Vec::new();
    let is_text = |value: &Value| matches!(value.shape, Shape::Text(_));
    for (index, value) in values.iter().enumerate() {
        if index > 0 && !is_text(value) && !is_text(&values[index - 1]) {
            out.push(b' ');
        }
        out.extend(plain(value)?);
    }
    Ok(out)
}

/// Formats values as Go's `println` does.
///
/// # Errors
///
/// Returns an error if a value is nested too deeply.
pub(crate) fn println(values: &[Value]) -> Result<Vec<u8>, Limit> {
    let texts: Result<Vec<_>, _> = values.iter().map(plain).collect();
    let mut out = texts?.join(&b' ');
    out.push(b'\n');
    Ok(out)
}

/// Formats lists and maps. `scalar` formats all other values.
fn write(
    out: &mut Vec<u8>,
    value: &Value,
    deepest: usize,
    scalar: &mut dyn FnMut(&mut Vec<u8>, &Value),
) -> Result<(), Limit> {
    let deepest = deepest.checked_sub(1).ok_or(Limit::Nesting)?;
    if out.len() > crate::fault::MOST_BYTES {
        return Err(Limit::Bytes);
    }
    match &value.shape {
        Shape::List(_, values) => {
            out.push(b'[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(b' ');
                }
                write(out, value, deepest, scalar)?;
            }
            out.push(b']');
        }
        Shape::Map(map) => {
            let Map { entries, .. } = &*map.borrow();
            out.extend(b"map[");
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(b' ');
                }
                scalar(out, &Value::text(key.clone()));
                out.push(b':');
                write(out, value, deepest, scalar)?;
            }
            out.push(b']');
        }
        Shape::Missing
        | Shape::Null
        | Shape::Bool(_)
        | Shape::Int(_)
        | Shape::Int64(_)
        | Shape::Uint64(_)
        | Shape::Byte(_)
        | Shape::Float(_)
        | Shape::Text(_)
        | Shape::Version(_)
        | Shape::Time(_)
        | Shape::Empty => scalar(out, value),
    }
    Ok(())
}

fn scalar(out: &mut Vec<u8>, value: &Value) {
    match &value.shape {
        Shape::Missing | Shape::Null => out.extend(b"<nil>"),
        Shape::Bool(is) => out.extend(is.to_string().bytes()),
        Shape::Int(number) | Shape::Int64(number) => out.extend(number.to_string().bytes()),
        Shape::Uint64(number) => out.extend(number.to_string().bytes()),
        Shape::Byte(number) => out.extend(number.to_string().bytes()),
        Shape::Float(number) => out.extend(shortest(*number).bytes()),
        Shape::Text(text) => out.extend(text.iter()),
        Shape::Version(version) => out.extend(version.to_string().bytes()),
        Shape::Time(seconds) => out.extend(time::printed(*seconds).bytes()),
        Shape::Empty => out.extend(b"{}"),
        Shape::List(..) | Shape::Map(_) => unreachable!("lists and maps are walked"),
    }
}
