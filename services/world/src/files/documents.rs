//! Cuts a file into its documents, so that a broken one costs no other.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use portolan_core_names::object::split_api_version;
use portolan_core_names::text::cite;
use serde_json::Value;

/// A document, with the line that it begins at or, if it is broken, breaks at.
#[derive(Debug, PartialEq)]
pub(super) struct Document {
    pub(super) line: u64,
    pub(super) value: Result<Value, String>,
}

/// An object of a document.
#[derive(Debug, Clone)]
pub(super) struct Object {
    /// Empty for the core of Kubernetes.
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) value: Value,
}

impl Object {
    /// Returns its namespace, if it has one.
    pub(super) fn namespace(&self) -> Option<&str> {
        self.value["metadata"]["namespace"].as_str()
    }

    /// Its name, if it has one.
    pub(super) fn name(&self) -> Option<&str> {
        self.value["metadata"]["name"].as_str()
    }

    /// Its labels, those that are text.
    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        let labels = self.value["metadata"]["labels"].as_object();
        let labels = labels.into_iter().flatten();
        labels
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect()
    }
}

/// Finds the objects of a file and of the Lists in it, each with the line of its document, or the
/// error. Skips documents of catalogs, which may be in the same folder.
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

/// An object of a text as written, or the error.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The line that its document begins at or, if that is broken, breaks at.
    pub line: u64,
    /// The object has an apiVersion and a kind.
    pub object: Result<Value, String>,
}

/// Reads all objects of a text, YAML or JSON, in order, and the objects of Lists. For callers that
/// expect objects only: any other document is an error.
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

/// Documents of catalogs have a schema instead of a kind. The set of schemas is open.
fn is_of_catalog(value: &Value) -> bool {
    let is_object = value.get("apiVersion").is_some() || value.get("kind").is_some();
    !is_object && value["schema"].is_string()
}

fn object(value: Value) -> Result<Object, String> {
    let Some((version, kind)) = value["apiVersion"].as_str().zip(value["kind"].as_str()) else {
        return Err("it has no apiVersion and kind, as objects have".to_owned());
    };
    let (group, version) = split_api_version(version);
    Ok(Object {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: kind.to_owned(),
        value,
    })
}

/// Finds the documents of a file: JSON if it begins like JSON, else YAML. Documents with comments
/// only are skipped.
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

/// Reads JSON documents in sequence. After an invalid one, the start of the next is unknown.
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

/// Reads YAML documents. A line that begins with `---` always ends a document, because YAML cannot
/// quote it.
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

/// Returns the number of lines before the content.
fn first_line(text: &str) -> u64 {
    let is_content = |line: &str| {
        let line = line.trim();
        !(line.is_empty() || line.starts_with('#') || line == "---")
    };
    let lines = text.lines().position(is_content);
    lines.unwrap_or(0) as u64
}

/// Returns the error without its place, which would count from the beginning of the document. It
/// can quote a scalar of any length, and is cut.
fn reason(error: &serde_saphyr::Error) -> String {
    if let serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } = error.without_snippet()
    {
        return duplicate(key);
    }
    let told = error.without_snippet().to_string();
    let told = told.lines().next().unwrap_or_default();
    cite(told)
}

/// Returns the error for a key that is given twice. A second object begins with one of these fields.
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
