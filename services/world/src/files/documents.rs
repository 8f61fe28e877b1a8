//! Splits a file into documents, so that an invalid document does not affect the other documents.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use portolan_core_names::object::split_api_version;
use portolan_core_names::text::cite;
use serde_json::Value;

/// A document with its first line. An invalid document has the line of the error instead.
#[derive(Debug, PartialEq)]
pub(super) struct Document {
    pub(super) line: u64,
    pub(super) value: Result<Value, String>,
}

/// An object in a document.
#[derive(Debug, Clone)]
pub(super) struct Object {
    /// The API group. Empty for the core group.
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) value: Value,
}

impl Object {
    /// Returns the namespace of the object. Returns None if the object has no namespace.
    pub(super) fn namespace(&self) -> Option<&str> {
        self.value["metadata"]["namespace"].as_str()
    }

    /// Returns the name of the object. Returns None if the object has no name.
    pub(super) fn name(&self) -> Option<&str> {
        self.value["metadata"]["name"].as_str()
    }

    /// Returns the labels of the object. Labels whose values are not texts are left out.
    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        let labels = self.value["metadata"]["labels"].as_object();
        let labels = labels.into_iter().flatten();
        labels
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect()
    }
}

/// Finds the objects in a file, including the objects in Lists. Each object has the first line of
/// its document. For an invalid document, returns the error. Skips documents of catalogs, which may
/// be in the same folder.
pub(super) fn objects(bytes: &[u8], found: &mut dyn FnMut(u64, Result<Object, String>)) {
    documents(bytes, &mut |Document { line, value }| match value {
        Ok(value) if is_of_catalog(&value) => {}
        Ok(value) => match items(value) {
            Ok(items) => items.into_iter().for_each(|item| found(line, object(item))),
            Err(value) => found(line, object(value)),
        },
        Err(why) => found(line, Err(why)),
    });
}

/// An object as the text contains it, or the error of an invalid document.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The first line of the document. For an invalid document, the line of the error.
    pub line: u64,
    /// The object, which has an apiVersion and a kind, or the error.
    pub object: Result<Value, String>,
}

/// Reads all objects in a YAML or JSON text in order, including the objects in Lists. A document
/// that is not an object is an error, even if it belongs to a catalog.
pub fn read_objects(bytes: &[u8]) -> Vec<Written> {
    let mut found = Vec::new();
    documents(bytes, &mut |Document { line, value }| {
        let objects = match value.map(items) {
            Ok(Ok(items)) => items.into_iter().map(object).collect(),
            Ok(Err(value)) => vec![object(value)],
            Err(why) => vec![Err(why)],
        };
        found.extend(objects.into_iter().map(|object| Written {
            line,
            object: object.map(|object| object.value),
        }));
    });
    found
}

/// Returns the items of a List of any kind, or the value itself.
fn items(mut value: Value) -> Result<Vec<Value>, Value> {
    let is_list = value["kind"]
        .as_str()
        .is_some_and(|kind| kind.ends_with("List"));
    match value.get_mut("items").filter(|_| is_list) {
        Some(Value::Array(items)) => Ok(std::mem::take(items)),
        _ => Err(value),
    }
}

/// Returns true if the value is a document of a catalog. Such a document has a schema instead of a
/// kind. The name of the schema is arbitrary.
fn is_of_catalog(value: &Value) -> bool {
    let is_object = value.get("apiVersion").is_some() || value.get("kind").is_some();
    !is_object && value["schema"].is_string()
}

fn object(value: Value) -> Result<Object, String> {
    let Some((version, kind)) = value["apiVersion"].as_str().zip(value["kind"].as_str()) else {
        return Err("it has no apiVersion and kind, which every object must have".to_owned());
    };
    let (group, version) = split_api_version(version);
    Ok(Object {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: kind.to_owned(),
        value,
    })
}

/// Finds the documents in a file. Content that looks like JSON is parsed as JSON, and other content
/// is parsed as YAML. Documents that contain only comments are skipped.
pub(super) fn documents(bytes: &[u8], found: &mut dyn FnMut(Document)) {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}'),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            return found(Document {
                line: line_after(before),
                value: Err("it is not UTF-8 text".to_owned()),
            });
        }
    };
    if text.trim_start().starts_with(['{', '[']) {
        json(text, found)
    } else {
        yaml(text, found)
    }
}

/// Reads a sequence of JSON documents. Stops after an invalid document, because the start of the
/// next document is unknown.
fn json(text: &str, found: &mut dyn FnMut(Document)) {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let (mut line, mut counted) = (1, 0);
    loop {
        let rest = text[values.byte_offset()..].trim_start();
        let begin = text.len() - rest.len();
        line += line_after(&text.as_bytes()[counted..begin]) - 1;
        counted = begin;
        match values.next() {
            None => return,
            Some(Ok(value)) => found(Document {
                line,
                value: Ok(value),
            }),
            Some(Err(error)) => {
                return found(Document {
                    line: error.line() as u64,
                    value: Err(cite(&error.to_string())),
                });
            }
        }
    }
}

/// Reads YAML documents. A line that begins with `---` always ends a document, because YAML has no
/// way to quote such a line.
fn yaml(text: &str, found: &mut dyn FnMut(Document)) {
    let (mut begin, mut begin_line, mut at) = (0, 1, 0);
    for (line, content) in (1..).zip(text.split_inclusive('\n')) {
        if is_separator(content) {
            document(&text[begin..at], begin_line, found);
            (begin, begin_line) = (at, line);
        }
        at += content.len();
    }
    document(&text[begin..], begin_line, found);
}

fn is_separator(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

fn document(text: &str, begin: u64, found: &mut dyn FnMut(Document)) {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 100_000_000,
            max_nodes: 50_000_000,
            max_total_scalar_bytes: 1 << 30,
        },
        with_snippet: false,
    };
    match serde_saphyr::from_str_with_options(text, options) {
        Ok(Value::Null) => {}
        Ok(value) => found(Document {
            line: begin + first_line(text),
            value: Ok(value),
        }),
        Err(error) => {
            let line = error.location().map_or(1, |location| location.line());
            found(Document {
                line: begin + line.saturating_sub(1),
                value: Err(reason(&error)),
            });
        }
    }
}

/// Returns the number of lines before the content starts.
fn first_line(text: &str) -> u64 {
    let is_content = |line: &str| {
        let line = line.trim();
        !(line.is_empty() || line.starts_with('#') || line == "---")
    };
    let lines = text.lines().position(is_content);
    lines.unwrap_or(0) as u64
}

/// Returns the message of the error without its position, because this position is relative to the
/// start of the document. The message is truncated, because it may quote a value of any length.
fn reason(error: &serde_saphyr::Error) -> String {
    if let serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } = error.without_snippet()
    {
        return duplicate(key);
    }
    let told = error.without_snippet().to_string();
    let told = told.lines().next().unwrap_or_default();
    cite(told)
}

/// Returns the error for a duplicate key. These keys are at the beginning of an object, so the
/// separator between two objects is probably missing.
fn duplicate(key: &str) -> String {
    let hint = if ["apiVersion", "kind", "metadata", "spec"].contains(&key) {
        "; is a line `---` missing between two objects?"
    } else {
        ""
    };
    format!("duplicate key {}{hint}", cite(key))
}

fn line_after(before: &[u8]) -> u64 {
    1 + before.iter().filter(|byte| **byte == b'\n').count() as u64
}
