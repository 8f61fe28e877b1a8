//! A document as a tree of values, parsed from YAML or JSON.
//!
//! Documents are parsed into a tree before they are converted to typed values, for three reasons.
//! The valid fields of an invalid document can be read. Keys may have any order and spelling. Every
//! error has a line number.

pub(crate) mod json;
mod number;
pub(crate) mod yaml;

use std::borrow::Cow;

use crate::Limits;
use crate::document::selection::Selection;
use crate::fault::Defect;
use crate::split::{Format, Piece, Splitter};

pub use number::number;
pub(crate) use yaml::Keys;

/// A value and its first line. In JSON, all values have the first line of the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    pub line: u64,
    pub value: Value<'a>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    Null,
    Bool(bool),
    /// The number as the author wrote it. So `4.10` and `4.1` are different.
    Number(Cow<'a, str>),
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>),
    /// A map in the order of the document. It may contain the same key several times.
    Map(Vec<(Cow<'a, str>, Node<'a>)>),
    /// A value that was skipped because no query needs it.
    Skipped,
}

/// The error for a document that cannot be parsed into a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub line: u64,
    pub cause: Cause,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The message of the parser.
    Syntax(String),
    /// The document has more bytes than this limit.
    Bytes(usize),
    /// The document has more values than this limit.
    Values(usize),
    /// The values of the document are nested deeper than this limit.
    Depth(usize),
}

impl From<Cause> for Defect {
    fn from(cause: Cause) -> Self {
        let (what, limit) = match cause {
            Cause::Syntax(sentence) => return Self::Syntax(sentence),
            Cause::Bytes(limit) => ("a document of more bytes", limit),
            Cause::Values(limit) => ("a document of more values", limit),
            Cause::Depth(limit) => ("values nested deeper", limit),
        };
        Self::TooMuch {
            what,
            limit: limit as u64,
        }
    }
}

/// Returns the documents of a file with manifests, each as a tree. Omits documents that contain
/// only comments.
///
/// Manifests are read as in clusters, which convert them from YAML to JSON. A key that is a number
/// or a boolean in YAML 1.1 becomes the text of its value: `on:` is the key `true`.
///
/// Each document is parsed when the caller requests it, so that the caller can stop early. The
/// number of documents is limited to the maximum number of values.
pub fn documents<'b>(
    bytes: &'b [u8],
    limits: &Limits,
) -> impl Iterator<Item = Result<Node<'b>, Broken>> {
    let limits = *limits;
    let mut pieces = Vec::new();
    let mut beyond = None;
    let mut keep = |piece: Piece<'_>| {
        if pieces.len() == limits.values {
            beyond.get_or_insert(piece.line);
            return;
        }
        let length = piece.bytes.map(<[u8]>::len);
        pieces.push((piece.format, piece.line, piece.offset as usize, length));
    };
    let mut splitter = Splitter::new(&limits);
    splitter.feed(bytes, &mut keep);
    splitter.finish(&mut keep);
    let read = pieces
        .into_iter()
        .map(move |(format, line, offset, length)| {
            let length = length.ok_or(Broken {
                line,
                cause: Cause::Bytes(limits.document),
            })?;
            manifest(&bytes[offset..offset + length], format, line, &limits)
        });
    let beyond = beyond.map(|line| Broken {
        line,
        cause: Cause::Values(limits.values),
    });
    read.filter_map(Result::transpose).chain(beyond.map(Err))
}

/// Parses a manifest. Parses JSON as YAML first, because the YAML parser reports lines. If JSON is
/// not valid YAML, for example because of tabs, parses it as JSON.
fn manifest<'b>(
    bytes: &'b [u8],
    format: Format,
    line: u64,
    limits: &Limits,
) -> Result<Option<Node<'b>>, Broken> {
    let read = yaml::parse(yaml::text(bytes, line)?, line, Keys::Resolved, limits);
    let is_json = format == Format::Json;
    match read {
        Err(Broken {
            cause: Cause::Syntax(_),
            ..
        }) if is_json => json::parse(bytes, line, Selection::All, limits).map(Some),
        Ok(_) | Err(_) => read,
    }
}

// === impl Node ===

impl Node<'_> {
    /// Returns the number of values in the tree, including this value.
    pub fn values(&self) -> usize {
        1 + match &self.value {
            Value::List(items) => items.iter().map(Self::values).sum(),
            Value::Map(entries) => entries.iter().map(|(_, value)| value.values()).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Skipped => 0,
        }
    }

    /// Returns the number of bytes of all texts in the tree, including keys.
    pub fn bytes(&self) -> usize {
        match &self.value {
            Value::Number(text) | Value::Text(text) => text.len(),
            Value::List(items) => items.iter().map(Self::bytes).sum(),
            Value::Map(entries) => {
                let bytes = entries.iter().map(|(key, value)| key.len() + value.bytes());
                bytes.sum()
            }
            Value::Null | Value::Bool(_) | Value::Skipped => 0,
        }
    }
}

// === impl Value ===

impl<'a> Value<'a> {
    /// Returns the entries of an object. Returns None for other values.
    pub fn into_map(self) -> Option<Vec<(Cow<'a, str>, Node<'a>)>> {
        if let Self::Map(entries) = self {
            Some(entries)
        } else {
            None
        }
    }

    /// Describes the value for a message about a value of the wrong type.
    pub fn describe(&self) -> String {
        match self {
            Self::Null => "empty".to_owned(),
            Self::Bool(value) => format!("the truth value {value}"),
            Self::Number(number) => format!("the number {}", excerpt(number)),
            Self::Text(text) => format!("the text {:?}", excerpt(text)),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "an object".to_owned(),
            Self::Skipped => "a value that was not read".to_owned(),
        }
    }

    /// Returns the value as canonical JSON: keys are sorted, and there are no blanks. Equal values
    /// have equal texts.
    pub(crate) fn canonical_json(&self) -> String {
        let mut json = String::new();
        self.write_json(&mut json);
        json
    }

    fn write_json(&self, json: &mut String) {
        match self {
            Self::Null | Self::Skipped => json.push_str("null"),
            Self::Bool(value) => json.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => write_number(number, json),
            Self::Text(text) => write_text(text, json),
            Self::List(items) => {
                json.push('[');
                for (at, item) in items.iter().enumerate() {
                    separate(at, json);
                    item.value.write_json(json);
                }
                json.push(']');
            }
            Self::Map(entries) => {
                let mut sorted: Vec<_> = entries.iter().collect();
                sorted.sort_by(|(left, _), (right, _)| left.cmp(right));
                json.push('{');
                for (at, (key, node)) in sorted.into_iter().enumerate() {
                    separate(at, json);
                    write_text(key, json);
                    json.push(':');
                    node.value.write_json(json);
                }
                json.push('}');
            }
        }
    }
}

fn separate(at: usize, json: &mut String) {
    if at > 0 {
        json.push(',');
    }
}

/// Writes a number. A number that JSON cannot represent, such as `.inf` in YAML, is written as a
/// string.
fn write_number(number: &str, json: &mut String) {
    match serde_json::from_str::<serde_json::Number>(number) {
        Ok(number) => json.push_str(&number.to_string()),
        Err(_) => write_text(number, json),
    }
}

fn write_text(text: &str, json: &mut String) {
    json.push_str(&serde_json::Value::from(text).to_string());
}

/// Returns the beginning of a text, short enough for a sentence.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
