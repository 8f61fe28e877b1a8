//! YAML to a tree.
//!
//! The scalars are those of YAML 1.1, as opm reads them: `4.6` is a number and `on` a truth value,
//! and neither is a channel name until it is quoted. Aliases are copied, and counted as copies, so
//! that a small document cannot grow into a huge one.

mod cut;
mod scalar;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Tag, options};

use super::{Broken, Cause, Node, Value};
use crate::Limits;

pub(crate) use cut::cut;

/// The bytes of a document as text.
pub(crate) fn text(bytes: &[u8], line: u64) -> Result<&str, Broken> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes[..error.valid_up_to()].iter();
        Broken {
            line: line + before.filter(|byte| **byte == b'\n').count() as u64,
            cause: Cause::Syntax("not YAML: there are bytes that are not UTF-8".to_owned()),
        }
    })
}

/// Reads one document; None where there is nothing but comments.
pub(crate) fn parse<'a>(
    text: &'a str,
    line: u64,
    limits: &Limits,
) -> Result<Option<Node<'a>>, Broken> {
    let options = options! {
        emit_comments: false,
        flow_nesting_limit: limits.depth,
        block_nesting_limit: limits.depth,
    };
    let mut tree = Tree {
        limits,
        values: 0,
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

/// A tree under construction.
struct Tree<'l, 'a> {
    limits: &'l Limits,
    /// The values so far, copies included.
    values: usize,
    /// The lists and objects that are not closed yet, the outermost first.
    open: Vec<Open<'a>>,
    anchors: BTreeMap<usize, Anchored<'a>>,
    root: Option<Node<'a>>,
}

/// A value that an alias may repeat.
struct Anchored<'a> {
    node: Node<'a>,
    values: usize,
    depth: usize,
}

struct Open<'a> {
    line: u64,
    anchor: usize,
    /// The number of values before this one.
    before: usize,
    /// The depth of the values in it, itself included.
    depth: usize,
    content: Content<'a>,
}

enum Content<'a> {
    List(Vec<Node<'a>>),
    /// The entries, and the key whose value comes next.
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
                if self.wants_key() {
                    return self.key(text);
                }
                let value = if is_plain(style, tag.as_deref()) {
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
            // A separator may stand before the first document as well; what ends there is empty.
            Event::DocumentStart(..) => match self.root.take().map(|root| root.value) {
                None | Some(Value::Null) => Ok(()),
                Some(_) => Err(Cause::Syntax(
                    "not YAML: a second document begins without a line `---`".to_owned(),
                )),
            },
            // The frame of the document, and what the parser is not asked to tell.
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
            node,
            values,
            depth,
        }) = self.anchors.get(&anchor)
        else {
            return Err(Cause::Syntax(
                "not YAML: a value contains itself".to_owned(),
            ));
        };
        let (values, depth) = (*values, *depth);
        // Counted before it is copied.
        if self.values + values > self.limits.values {
            return Err(Cause::Values(self.limits.values));
        }
        self.values += values;
        self.reach(depth)?;
        let value = node.value.clone();
        if self.wants_key() {
            let Value::Text(text) = value else {
                return Err(complex_key());
            };
            return self.key(text);
        }
        self.put(Node { line, value }, depth)
    }

    /// Keeps a copy for the aliases to come.
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
        let anchored = Anchored {
            node: node.clone(),
            values,
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

    /// Refuses what would stand too deep: copied values are as deep as written ones.
    fn reach(&self, depth: usize) -> Result<(), Cause> {
        if self.open.len() + depth > self.limits.depth {
            Err(Cause::Depth(self.limits.depth))
        } else {
            Ok(())
        }
    }
}

/// Whether the text of a scalar decides what it is.
fn is_plain(style: ScalarStyle, tag: Option<&Tag>) -> bool {
    match tag.map(Tag::core_suffix) {
        None => style == ScalarStyle::Plain,
        Some(Some("str") | None) => false,
        Some(Some(_)) => true,
    }
}

fn complex_key() -> Cause {
    Cause::Syntax("the key of an object is no text".to_owned())
}

/// Spreads what stands under a merge key `<<`; keys of the object itself count more.
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
