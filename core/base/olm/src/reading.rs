//! Parses objects from JSON. Omits and reports invalid fields.
//!
//! An API server does not validate stored objects again. So an object may have fields that the
//! current CRD schema rejects, but an older schema allowed. Such a field is removed, and the object
//! is parsed again. Valid objects, which are nearly all objects, are parsed only once.

#[cfg(test)]
mod tests;

use std::fmt::{self, Write as _};

use portolan_core_names::text::cite;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

/// The maximum number of omitted fields of one object. If more fields are invalid, the object is
/// probably of another kind.
const MOST_FAULTS: usize = 20;

/// An invalid field that was omitted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadFault {
    /// The path of the field, such as `status.conditions[2].reason`.
    pub field: String,
    /// The error in the field.
    pub why: String,
}

/// The error for a text that is not an object of the requested kind.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Unreadable(ReadFault);

// === impl ReadFault ===

impl fmt::Display for ReadFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, why } = self;
        match field.as_str() {
            "." => f.write_str(why),
            _ => write!(f, "{}: {why}", field.escape_debug()),
        }
    }
}

/// A type that can be parsed from JSON. [`from_json!`](crate::from_json) implements it next to the
/// type, so that the code is compiled once, and not again in every crate that parses this type.
pub trait FromJson: Sized {
    /// Parses an object from a JSON text. Also returns the omitted fields.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON, or not an object of this kind.
    fn from_json(json: &str) -> Result<(Self, Vec<ReadFault>), Unreadable>;
}

/// Implements [`FromJson`] for types that serde can deserialize.
///
/// A `Deserialize` implementation must reject an invalid field while serde visits the field, as
/// derived implementations do. Otherwise, the error may be reported for the whole object.
#[macro_export]
macro_rules! from_json {
    ($($kind:ty),+ $(,)?) => {$(
        impl $crate::FromJson for $kind {
            fn from_json(json: &str) -> Result<(Self, Vec<$crate::ReadFault>), $crate::Unreadable> {
                $crate::deserialize(json)
            }
        }
    )+};
}

/// Parses an object from a JSON text. Also returns the omitted fields.
///
/// # Errors
/// Returns an error if the text is not JSON, or not an object of this kind.
pub fn read<K: FromJson>(json: &str) -> Result<(K, Vec<ReadFault>), Unreadable> {
    K::from_json(json)
}

/// Parses an object from a JSON value. Also returns the omitted fields.
///
/// # Errors
/// Returns an error if the value is not an object of this kind.
pub fn read_value<K: FromJson>(value: Value) -> Result<(K, Vec<ReadFault>), Unreadable> {
    K::from_json(&value.to_string())
}

/// Parses an object from a JSON text. [`from_json!`](crate::from_json) compiles this function for
/// each type.
///
/// # Errors
/// Returns an error if the text is not JSON, or not an object of this kind.
#[doc(hidden)]
pub fn deserialize<K: DeserializeOwned>(json: &str) -> Result<(K, Vec<ReadFault>), Unreadable> {
    let parse: Parse<K> = |json| serde_json::from_str(json);
    match parse(json) {
        Ok(object) => Ok((object, Vec::new())),
        Err(_) => salvage(json, parse),
    }
}

type Parse<K> = fn(&str) -> Result<K, serde_json::Error>;

/// Removes one invalid field after the other, until the object can be parsed.
fn salvage<K>(json: &str, parse: Parse<K>) -> Result<(K, Vec<ReadFault>), Unreadable> {
    let mut value = serde_json::from_str(json).map_err(|error| {
        Unreadable(ReadFault {
            field: ".".to_owned(),
            why: cite(&error.to_string()),
        })
    })?;
    drop_nulls(&mut value);
    let mut faults = Vec::new();
    loop {
        let lines = Lines::of(&value);
        let error = match parse(&lines.text) {
            Ok(object) => return Ok((object, faults)),
            Err(error) => error,
        };
        let path = lines.paths.get(error.line().saturating_sub(1));
        let path = path.map(Vec::as_slice).unwrap_or_default();
        let fault = ReadFault {
            field: cite(&in_words(path)),
            why: without_place(&error),
        };
        if faults.len() == MOST_FAULTS || !remove(&mut value, path) {
            return Err(Unreadable(fault));
        }
        faults.push(fault);
    }
}

/// A JSON text with one line for each value, and the path of the value on each line. Errors of
/// serde contain a line number, from which the path follows. To get the path from serde itself,
/// each kind would need a second deserializer.
#[derive(Default)]
struct Lines {
    text: String,
    paths: Vec<Vec<Segment>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Field(String),
    Item(usize),
}

// === impl Lines ===

impl Lines {
    fn of(value: &Value) -> Self {
        let mut lines = Self::default();
        lines.value(value, &mut Vec::new());
        lines.end(&[]);
        lines
    }

    /// Writes a value. Does not end the last line, because a comma may follow.
    fn value(&mut self, value: &Value, path: &mut Vec<Segment>) {
        match value {
            Value::Object(fields) => {
                self.begin('{', path);
                for (at, (name, value)) in fields.iter().enumerate() {
                    self.scalar(&Value::from(name.as_str()));
                    self.text.push(':');
                    self.part(
                        Segment::Field(name.clone()),
                        value,
                        path,
                        at + 1 < fields.len(),
                    );
                }
                self.text.push('}');
            }
            Value::Array(items) => {
                self.begin('[', path);
                for (at, value) in items.iter().enumerate() {
                    self.part(Segment::Item(at), value, path, at + 1 < items.len());
                }
                self.text.push(']');
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.scalar(value);
            }
        }
    }

    fn part(&mut self, at: Segment, value: &Value, path: &mut Vec<Segment>, has_next: bool) {
        path.push(at);
        self.value(value, path);
        if has_next {
            self.text.push(',');
        }
        self.end(path);
        path.pop();
    }

    fn begin(&mut self, with: char, path: &[Segment]) {
        self.text.push(with);
        self.end(path);
    }

    fn scalar(&mut self, value: &Value) {
        let _ = write!(self.text, "{value}");
    }

    /// Ends the line, and records that it contains the value at `path`.
    fn end(&mut self, path: &[Segment]) {
        self.text.push('\n');
        self.paths.push(path.to_vec());
    }
}

fn in_words(path: &[Segment]) -> String {
    let mut words = String::new();
    for segment in path {
        match segment {
            Segment::Item(at) => {
                let _ = write!(words, "[{at}]");
            }
            Segment::Field(name) => {
                if !words.is_empty() {
                    words.push('.');
                }
                words.push_str(name);
            }
        }
    }
    if words.is_empty() {
        words.push('.');
    }
    words
}

/// Returns the text of an error without line and column. Users never see the JSON text to which
/// these refer. Truncates a long quoted value.
fn without_place(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let whole = error.to_string();
    cite(whole.strip_suffix(&place).unwrap_or(&whole))
}

/// Removes null values. In Kubernetes, a null field has the same meaning as a missing field.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => {
            items.retain(|value| !value.is_null());
            items.iter_mut().for_each(drop_nulls);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Removes the value at `path`. Returns false if the path is empty or the value does not exist.
/// Each removal makes the object smaller, so the loop in the caller ends.
fn remove(value: &mut Value, path: &[Segment]) -> bool {
    let Some((last, segments)) = path.split_last() else {
        return false;
    };
    let holder = segments
        .iter()
        .try_fold(value, |value, segment| match segment {
            Segment::Field(name) => value.get_mut(name),
            Segment::Item(at) => value.get_mut(at),
        });
    match (holder, last) {
        (Some(Value::Object(fields)), Segment::Field(name)) => fields.remove(name).is_some(),
        (Some(Value::Array(items)), Segment::Item(at)) if *at < items.len() => {
            items.remove(*at);
            true
        }
        _ => false,
    }
}
