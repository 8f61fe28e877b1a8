//! Converts YAML to JSON by the rules of Go's YAML library.

mod scalar;

use std::borrow::Cow;
use std::collections::BTreeMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, options};
use serde_json::{Map, Value as Json};

use scalar::{resolved, tagged};

pub(super) use scalar::is_text;

const DEEPEST: usize = 64;
const MOST_VALUES: usize = 100_000;

/// The maximum number of quoted texts that may continue at the start of a line. See
/// [`Broken::Margin`].
const MOST_REPAIRS: usize = 64;

/// Parses YAML.
///
/// # Errors
///
/// Returns an error if the text is not valid YAML or exceeds a limit.
pub(crate) fn read(text: &str) -> Result<Json, String> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..MOST_REPAIRS {
        match parsed(&text) {
            Err(Broken::Margin(line)) => text = moved_in(&text, line).into(),
            Err(Broken::Else(message)) => return Err(message),
            Ok(json) => return Ok(json),
        }
    }
    Err("yaml: too many quoted texts go on at the margin; indent them".to_owned())
}

enum Broken {
    /// A quoted text continues in this line, with less indentation than its parent. Go's YAML
    /// library accepts this form, and templates with multi-line texts create it.
    Margin(usize),
    Else(String),
}

fn parsed(text: &str) -> Result<Json, Broken> {
    let options = options! {
        emit_comments: false,
        flow_nesting_limit: DEEPEST,
        block_nesting_limit: DEEPEST,
    };
    let mut tree = Tree::default();
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|error| {
            let line = error.marker().line();
            if *error.kind() == ErrorKind::InvalidQuotedScalarIndent {
                return Broken::Margin(line);
            }
            let info = error.info();
            let said = info.lines().next().unwrap_or_default();
            Broken::Else(format!("yaml: line {line}: {said}"))
        })?;
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        let line = span.start.line();
        tree.take(event)
            .map_err(|message| Broken::Else(format!("yaml: line {line}: {message}")))?;
    }
    Ok(tree.root.unwrap_or(Json::Null))
}

/// Indents this line, and the following lines of the same quoted text, more than any parent. Blanks
/// at the start of such a line have no meaning.
fn moved_in(text: &str, line: usize) -> String {
    let margin = " ".repeat(2 * DEEPEST);
    let mut is_inside = false;
    let mut out = String::new();
    for (index, row) in text.split_inclusive('\n').enumerate() {
        is_inside |= index + 1 == line;
        if is_inside && !row.trim().is_empty() {
            out.push_str(&margin);
        }
        out.push_str(row);
        is_inside &= !row.contains(['\'', '"']);
    }
    out
}

#[derive(Default)]
struct Tree {
    open: Vec<Open>,
    anchors: BTreeMap<usize, (Json, usize)>,
    values: usize,
    root: Option<Json>,
}

struct Open {
    anchor: usize,
    before: usize,
    content: Content,
}

enum Content {
    List(Vec<Json>),
    Map {
        entries: Map<String, Json>,
        /// The values that merge keys `<<` add. The entries of the map itself take precedence.
        merged: Vec<Json>,
        key: Option<MappingKey>,
    },
}

enum MappingKey {
    Text(String),
    Merge,
}

// === impl Tree ===

impl Tree {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what events there are depends on what other crates ask the parser for"
    )]
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                if self.wants_key() {
                    return self.key(&text, is_plain);
                }
                let value = match tag {
                    Some(tag) => tagged(&text, &tag)?,
                    None if is_plain => resolved(&text),
                    None => Json::String(text.into_owned()),
                };
                self.count(1)?;
                self.done(value, anchor, 1)
            }
            Event::SequenceStart(_, anchor, _) => self.open(anchor, Content::List(Vec::new())),
            Event::MappingStart(_, anchor, _) => self.open(
                anchor,
                Content::Map {
                    entries: Map::new(),
                    merged: Vec::new(),
                    key: None,
                },
            ),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => {
                let Some((value, values)) = self.anchors.get(&anchor).cloned() else {
                    return Err("a value contains itself".to_owned());
                };
                self.count(values)?;
                self.done(value, 0, values)
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, anchor: usize, content: Content) -> Result<(), String> {
        if self.wants_key() {
            return Err("a key that is a list or a map".to_owned());
        }
        if self.open.len() == DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} deep"));
        }
        let before = self.values;
        self.count(1)?;
        self.open.push(Open {
            anchor,
            before,
            content,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let Some(closed) = self.open.pop() else {
            return Ok(());
        };
        let values = self.values - closed.before;
        let value = match closed.content {
            Content::List(values) => Json::Array(values),
            Content::Map {
                mut entries,
                merged,
                ..
            } => {
                for map in merged {
                    merge(&mut entries, map)?;
                }
                Json::Object(entries)
            }
        };
        self.done(value, closed.anchor, values)
    }

    fn done(&mut self, value: Json, anchor: usize, values: usize) -> Result<(), String> {
        if anchor != 0 {
            self.count(values)?;
            self.anchors.insert(anchor, (value.clone(), values));
        }
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(value),
            Some(Content::List(values)) => values.push(value),
            Some(Content::Map {
                entries,
                merged,
                key,
            }) => match key.take() {
                Some(MappingKey::Text(key)) => {
                    if entries.insert(key.clone(), value).is_some() {
                        return Err(format!("mapping key {key:?} already defined"));
                    }
                }
                Some(MappingKey::Merge) => merged.push(value),
                None => return Err("a key that is no text".to_owned()),
            },
        }
        Ok(())
    }

    /// Reads a key of a map. A key must be a text, because JSON has no other keys. Other values are
    /// not converted to texts.
    fn key(&mut self, text: &str, is_plain: bool) -> Result<(), String> {
        let found = match (is_plain, text) {
            (true, "<<") => MappingKey::Merge,
            (true, _) if !is_text(text) => return Err(format!("the key {text} is not a string")),
            _ => MappingKey::Text(text.to_owned()),
        };
        if let Some(Content::Map { key, .. }) = self.open.last_mut().map(|open| &mut open.content) {
            *key = Some(found);
        }
        Ok(())
    }

    fn wants_key(&self) -> bool {
        matches!(
            self.open.last().map(|open| &open.content),
            Some(Content::Map { key: None, .. })
        )
    }

    fn count(&mut self, values: usize) -> Result<(), String> {
        self.values += values;
        if self.values > MOST_VALUES {
            return Err(format!("it has more than {MOST_VALUES} values"));
        }
        Ok(())
    }
}

fn merge(into: &mut Map<String, Json>, from: Json) -> Result<(), String> {
    match from {
        Json::Object(entries) => {
            for (key, value) in entries {
                into.entry(key).or_insert(value);
            }
            Ok(())
        }
        Json::Array(maps) => maps.into_iter().try_for_each(|map| merge(into, map)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            Err("map merge requires map or sequence of maps as the value".to_owned())
        }
    }
}
