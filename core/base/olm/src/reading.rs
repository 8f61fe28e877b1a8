//! Parses JSON into an object. Invalid fields are omitted.
//!
//! An API server stores objects without later validation. An older schema, or none, may have
//! admitted fields that the current schema rejects. Such a field is removed and the rest is parsed
//! again. Parsing valid objects, which are nearly all, has no extra cost.

#[cfg(test)]
mod tests;

use std::fmt::{self, Write as _};

use portolan_core_names::text::cite;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

/// The maximum number of fields of one object that may be dropped. If more fields are invalid, the
/// object does not belong to the kind.
const MOST_FAULTS: usize = 20;

/// A field that was dropped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadFault {
    /// The path of the field, such as `status.conditions[2].reason`.
    pub field: String,
    /// The error in the field.
    pub why: String,
}

/// The text is not an object of the requested kind.
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

/// A type that is read from JSON. Implemented with [`from_json!`](crate::from_json) next to the
/// type, so that the code is compiled once and not in every crate that reads such objects.
pub trait FromJson: Sized {
    /// Parses an object from JSON text. Also returns the omitted fields.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON, or not an object of this kind.
    fn from_json(json: &str) -> Result<(Self, Vec<ReadFault>), Unreadable>;
}

/// Implements [`FromJson`] for types that serde can deserialize. The error for an invalid field
/// must come from a visitor, as in all derived implementations. If the last field of an object is
/// rejected only after it was read, the error is reported for the whole object.
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

/// Parses an object from JSON text. Also returns the parts that were omitted.
///
/// # Errors
/// Returns an error if the text is not JSON, or not an object of this kind.
pub fn read<K: FromJson>(json: &str) -> Result<(K, Vec<ReadFault>), Unreadable> {
    K::from_json(json)
}

/// Reads an object from parsed JSON.
///
/// # Errors
/// Returns an error if the value is not an object of this kind.
pub fn read_value<K: FromJson>(value: Value) -> Result<(K, Vec<ReadFault>), Unreadable> {
    K::from_json(&value.to_string())
}

/// Reads an object from JSON; [`from_json!`](crate::from_json) compiles it for each type.
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

/// Drops one invalid field after the other, until the rest can be parsed.
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

/// JSON with one line for each value, and the position of each value. The errors of serde contain a
/// line number. To get the path instead, each kind would need another deserializer.
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

    /// Writes a value. The last line has no line break yet, because a comma may follow.
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

    /// Ends the line of the value at `path`.
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

/// Returns the text of an error without line and column, because users do not see the text to which
/// these refer. A quoted value is truncated.
fn without_place(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let whole = error.to_string();
    cite(whole.strip_suffix(&place).unwrap_or(&whole))
}

/// Removes nulls, which mean the same as missing fields in Kubernetes.
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

/// Removes the value at `path`. Returns false for an empty path or a missing value. Each removal
/// makes the value smaller, so that reading ends.
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
