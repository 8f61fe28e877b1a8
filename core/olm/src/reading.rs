//! From JSON to an object, leaving out what does not fit.
//!
//! Objects are stored as they were admitted, and a schema of last year, or none, may have admitted
//! what no schema of today would. So a field that does not fit is taken away and the rest is read
//! once more; for objects in order, which are nearly all, that costs nothing.

#[cfg(test)]
mod tests;

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};
use thiserror::Error;

/// How many fields of one object may be left out. One with more is not of its kind.
const MOST_FAULTS: usize = 20;

/// A field that was left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Where it was, such as `status.conditions[2].reason`.
    pub field: String,
    /// What is wrong with it.
    pub why: String,
}

/// An object that does not fit its kind at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Unreadable(Fault);

// === impl Fault ===

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, why } = self;
        match field.as_str() {
            "." => f.write_str(why),
            _ => write!(f, "{}: {why}", field.escape_debug()),
        }
    }
}

/// Reads an object from the text of its JSON, with what had to be left out.
///
/// # Errors
/// The text is no JSON, or no object of this kind.
pub fn read<K: DeserializeOwned>(json: &str) -> Result<(K, Vec<Fault>), Unreadable> {
    if let Ok(object) = serde_json::from_str(json) {
        return Ok((object, Vec::new()));
    }
    let value = serde_json::from_str(json).map_err(|error| {
        Unreadable(Fault {
            field: ".".to_owned(),
            why: error.to_string(),
        })
    })?;
    read_value(value)
}

/// The same from JSON that is parsed already.
///
/// # Errors
/// The value is no object of this kind.
pub fn read_value<K: DeserializeOwned>(mut value: Value) -> Result<(K, Vec<Fault>), Unreadable> {
    drop_nulls(&mut value);
    let mut faults = Vec::new();
    loop {
        let error = match serde_path_to_error::deserialize(&value) {
            Ok(object) => return Ok((object, faults)),
            Err(error) => error,
        };
        let path = error.path().clone();
        let fault = Fault {
            field: path.to_string(),
            why: error.into_inner().to_string(),
        };
        if faults.len() == MOST_FAULTS || !remove(&mut value, &path) {
            return Err(Unreadable(fault));
        }
        faults.push(fault);
    }
}

/// In JSON of Kubernetes a null says what an absent field says.
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

/// Takes away what is at `path`. Says no where that is the whole, or nothing: each removal makes
/// the value smaller, so that reading it ends.
fn remove(value: &mut Value, path: &Path) -> bool {
    let mut segments: Vec<_> = path.iter().collect();
    let Some(last) = segments.pop() else {
        return false;
    };
    let holder = segments
        .into_iter()
        .try_fold(value, |value, segment| match segment {
            Segment::Map { key } => value.get_mut(key.as_str()),
            Segment::Seq { index } => value.get_mut(*index),
            Segment::Enum { .. } | Segment::Unknown => None,
        });
    match (holder, last) {
        (Some(Value::Object(fields)), Segment::Map { key }) => fields.remove(key).is_some(),
        (Some(Value::Array(items)), Segment::Seq { index }) if *index < items.len() => {
            items.remove(*index);
            true
        }
        _ => false,
    }
}
