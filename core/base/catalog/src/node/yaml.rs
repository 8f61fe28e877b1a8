//! Parses YAML into a tree.
//!
//! Scalars are parsed as in YAML 1.1, which opm uses: `4.6` is a number, and `on` is a boolean.
//! Authors must quote them to use them as channel names. Aliases are replaced by copies of their
//! values. The values in these copies count, so a small document cannot become a huge tree.

mod cut;
mod scalar;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use granit_parser::{Event, Parser, ScalarStyle, ScanError, Tag, options};

use super::{Broken, Cause, Node, Value};
use crate::Limits;

pub(crate) use cut::cut;

/// Returns the bytes of a document as text.
pub(crate) fn text(bytes: &[u8], line: u64) -> Result<&str, Broken> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes[..error.valid_up_to()].iter();
        Broken {
            line: line + before.filter(|byte| **byte == b'\n').count() as u64,
            cause: Cause::Syntax("not YAML: there are bytes that are not UTF-8".to_owned()),
        }
    })
}

/// Determines how an unquoted key of an object is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// The key is its text, as the author wrote it.
    AsWritten,
    /// The key is the text of its value in YAML 1.1: `on` is `true`. An empty value is not a valid
    /// key.
    Resolved,
}

/// Parses one document. Returns None if the document contains only comments.
pub(crate) fn parse<'a>(
    text: &'a str,
    line: u64,
    keys: Keys,
    limits: &Limits,
) -> Result<Option<Node<'a>>, Broken> {
    let options = options! {
        emit_comments: false,
        flow_nesting_limit: limits.depth,
        block_nesting_limit: limits.depth,
    };
    let mut tree = Tree {
        limits,
        keys,
        values: 0,
        copied: 0,
        open: Vec::new(),
        anchors: BTreeMap::new(),
        root: None,
    };
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|error| syntax(line, &error))?;
        let here = line + (span.start.line() as u64).saturating_sub(1);
        tree.take(event, here)
            .map_err(|cause| Broken { line: here, cause })?;
    }
    Ok(tree.root.filter(|root| root.value != Value::Null))
}

fn syntax(line: u64, error: &ScanError) -> Broken {
    let below = (error.marker().line() as u64).saturating_sub(1);
    let info = error.info();
    let sentence = info.lines().next().unwrap_or_default();
    Broken {
        line: line + below,
        cause: Cause::Syntax(format!("not YAML: {sentence}")),
    }
}

/// A tree that the parser is building.
struct Tree<'l, 'a> {
    limits: &'l Limits,
    keys: Keys,
    /// The number of values that were parsed or copied so far.
    values: usize,
    /// The number of text bytes that aliases have copied so far.
    copied: usize,
    /// The lists and objects that are not closed yet, outermost first.
    open: Vec<Open<'a>>,
    anchors: BTreeMap<usize, Anchored<'a>>,
    root: Option<Node<'a>>,
}

/// A value with an anchor. Aliases may repeat it.
struct Anchored<'a> {
    node: Node<'a>,
    values: usize,
    bytes: usize,
    depth: usize,
}

struct Open<'a> {
    line: u64,
    anchor: usize,
    /// The number of values that were parsed before this value.
    before: usize,
    /// The nesting depth of the value, including itself.
    depth: usize,
    content: Content<'a>,
}

enum Content<'a> {
    List(Vec<Node<'a>>),
    /// An object: its entries, and the key whose value follows.
    Map(Vec<(Cow<'a, str>, Node<'a>)>, Option<Cow<'a, str>>),
}

// === impl Tree ===

impl<'a> Tree<'_, 'a> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what events there are depends on what other crates ask the parser for"
    )]
    fn take(&mut self, event: Event<'a>, line: u64) -> Result<(), Cause> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.count(1)?;
                let is_plain = is_plain(style, tag.as_deref());
                let text = if tag.is_some_and(|tag| is_binary(&tag)) {
                    decoded(&text)?
                } else {
                    text
                };
                if self.wants_key() {
                    let key = if is_plain {
                        self.keys.of_plain(text)?
                    } else {
                        text
                    };
                    return self.key(key);
                }
                let value = if is_plain {
                    scalar::resolve(text)
                } else {
                    Value::Text(text)
                };
                let node = Node { line, value };
                self.anchor(anchor, &node, 1, 1)?;
                self.put(node, 1)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open(line, anchor, Content::List(Vec::new()))
            }
            Event::MappingStart(_, anchor, _) => {
                self.open(line, anchor, Content::Map(Vec::new(), None))
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => self.alias(anchor, line),
            // The first document may have a separator before it. Then the document before the
            // separator is empty.
            Event::DocumentStart(..) => match self.root.take().map(|root| root.value) {
                None | Some(Value::Null) => Ok(()),
                Some(_) => Err(Cause::Syntax(
                    "not YAML: a second document begins without a line `---`".to_owned(),
                )),
            },
            // Other events only mark documents, or belong to options that the parser does not use.
            _ => Ok(()),
        }
    }

    fn open(&mut self, line: u64, anchor: usize, content: Content<'a>) -> Result<(), Cause> {
        if self.wants_key() {
            return Err(complex_key());
        }
        let before = self.values;
        self.count(1)?;
        self.open.push(Open {
            line,
            anchor,
            before,
            depth: 1,
            content,
        });
        self.reach(0)
    }

    fn close(&mut self) -> Result<(), Cause> {
        let Some(closed) = self.open.pop() else {
            return Ok(());
        };
        let value = match closed.content {
            Content::List(items) => Value::List(items),
            Content::Map(entries, _) => Value::Map(merged(entries)),
        };
        let node = Node {
            line: closed.line,
            value,
        };
        let values = self.values - closed.before;
        self.anchor(closed.anchor, &node, values, closed.depth)?;
        self.put(node, closed.depth)
    }

    fn alias(&mut self, anchor: usize, line: u64) -> Result<(), Cause> {
        let Some(Anchored {
            values,
            bytes,
            depth,
            ..
        }) = self.anchors.get(&anchor)
        else {
            return Err(Cause::Syntax(
                "not YAML: a value contains itself".to_owned(),
            ));
        };
        let (values, bytes, depth) = (*values, *bytes, *depth);
        // The values are counted before they are copied, so that too many values are never copied.
        self.count(values)?;
        self.copy(bytes)?;
        self.reach(depth)?;
        let value = self.anchors[&anchor].node.value.clone();
        if self.wants_key() {
            let Value::Text(text) = value else {
                return Err(complex_key());
            };
            return self.key(text);
        }
        self.put(Node { line, value }, depth)
    }

    /// Stores a copy of a value with an anchor, for later aliases.
    fn anchor(
        &mut self,
        anchor: usize,
        node: &Node<'a>,
        values: usize,
        depth: usize,
    ) -> Result<(), Cause> {
        if anchor == 0 {
            return Ok(());
        }
        self.count(values)?;
        let bytes = node.bytes();
        self.copy(bytes)?;
        let anchored = Anchored {
            node: node.clone(),
            values,
            bytes,
            depth,
        };
        self.anchors.insert(anchor, anchored);
        Ok(())
    }

    fn key(&mut self, text: Cow<'a, str>) -> Result<(), Cause> {
        if let Some(Content::Map(_, key)) = self.open.last_mut().map(|open| &mut open.content) {
            *key = Some(text);
        }
        Ok(())
    }

    fn put(&mut self, node: Node<'a>, depth: usize) -> Result<(), Cause> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.depth = open.depth.max(depth + 1);
        match &mut open.content {
            Content::List(items) => items.push(node),
            Content::Map(entries, key) => {
                let key = key.take().unwrap_or_default();
                entries.push((key, node));
            }
        }
        Ok(())
    }

    fn wants_key(&self) -> bool {
        matches!(
            self.open.last().map(|open| &open.content),
            Some(Content::Map(_, None))
        )
    }

    fn count(&mut self, values: usize) -> Result<(), Cause> {
        self.values += values;
        if self.values > self.limits.values {
            Err(Cause::Values(self.limits.values))
        } else {
            Ok(())
        }
    }

    /// Counts the text bytes of a copied value. Returns an error if aliases copy too many bytes.
    fn copy(&mut self, bytes: usize) -> Result<(), Cause> {
        self.copied += bytes;
        if self.copied > self.limits.document {
            Err(Cause::Bytes(self.limits.document))
        } else {
            Ok(())
        }
    }

    /// Checks the nesting depth. Copied values count like written values.
    fn reach(&self, depth: usize) -> Result<(), Cause> {
        if self.open.len() + depth > self.limits.depth {
            Err(Cause::Depth(self.limits.depth))
        } else {
            Ok(())
        }
    }
}

// === impl Keys ===

impl Keys {
    fn of_plain(self, text: Cow<'_, str>) -> Result<Cow<'_, str>, Cause> {
        if self == Self::AsWritten {
            return Ok(text);
        }
        match scalar::resolve(text) {
            Value::Text(text) => Ok(text),
            Value::Bool(value) => Ok(value.to_string().into()),
            Value::Number(number) => match super::number(&number) {
                Some(number) => Ok(number.to_string().into()),
                None => Err(complex_key()),
            },
            Value::Null | Value::List(_) | Value::Map(_) | Value::Skipped => Err(complex_key()),
        }
    }
}

/// Returns true if the text of a scalar determines its type, as in an unquoted scalar.
fn is_plain(style: ScalarStyle, tag: Option<&Tag>) -> bool {
    match tag.map(Tag::core_suffix) {
        None => style == ScalarStyle::Plain,
        Some(Some("str") | None) => false,
        Some(Some(_)) => true,
    }
}

fn is_binary(tag: &Tag) -> bool {
    let suffix = "tag:yaml.org,2002:binary".strip_prefix(tag.handle());
    suffix == Some(tag.suffix())
}

/// Decodes the base64 of a `!!binary` scalar into text. Replaces invalid UTF-8, as Go does for
/// JSON.
fn decoded<'a>(text: &str) -> Result<Cow<'a, str>, Cause> {
    let digits: String = text.split_ascii_whitespace().collect();
    let bytes = STANDARD
        .decode(digits)
        .map_err(|error| Cause::Syntax(format!("not YAML: `!!binary` is no base64: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned().into())
}

fn complex_key() -> Cause {
    Cause::Syntax("the key of an object is not a string".to_owned())
}

/// Inserts the entries of merge keys `<<` into an object. The entries of the object itself take
/// precedence.
fn merged<'a>(entries: Vec<(Cow<'a, str>, Node<'a>)>) -> Vec<(Cow<'a, str>, Node<'a>)> {
    if entries.iter().all(|(key, _)| key != "<<") {
        return entries;
    }
    let (merges, mut own): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(key, _)| key == "<<");
    let mut known: BTreeSet<_> = own.iter().map(|(key, _)| key.clone()).collect();
    for (_, Node { value, .. }) in merges {
        let sources = if let Value::List(items) = value {
            items.into_iter().map(|item| item.value).collect()
        } else {
            vec![value]
        };
        let spread = sources.into_iter().filter_map(Value::into_map);
        for (key, node) in spread.flatten() {
            if known.insert(key.clone()) {
                own.push((key, node));
            }
        }
    }
    own
}
