//! Parses JSON into a tree. Skips values that no query needs, at several gigabytes per second.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Broken, Cause, Node, Value};
use crate::Limits;
use crate::document::selection::Selection;

/// Parses one document. Skips the values that `wanted` does not select.
///
/// The parser limits the nesting depth of JSON to 128.
pub(crate) fn parse<'a>(
    bytes: &'a [u8],
    line: u64,
    wanted: Selection,
    limits: &Limits,
) -> Result<Node<'a>, Broken> {
    let left = Cell::new(limits.values);
    let seed = Seed {
        line,
        wanted,
        left: &left,
    };
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    seed.deserialize(&mut deserializer)
        .and_then(|node| deserializer.end().map(|()| node))
        .map_err(|error| {
            let cause = match left.get() {
                0 => Cause::Values(limits.values),
                _ => Cause::Syntax(sentence(&error)),
            };
            // The parser attributes an error at the end of a line to the next line.
            let lines = bytes.trim_ascii_end().iter().filter(|byte| **byte == b'\n');
            let below = error.line().saturating_sub(1).min(lines.count()) as u64;
            Broken {
                line: line + below,
                cause,
            }
        })
}

/// Returns the message of the parser without its position, because the fault already contains the
/// position.
fn sentence(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    format!("not JSON: {}", &text[..end])
}

#[derive(Clone, Copy)]
struct Seed<'c> {
    line: u64,
    wanted: Selection,
    /// The number of values that the document may still have.
    left: &'c Cell<usize>,
}

// === impl Seed ===

impl<'c> Seed<'c> {
    fn within(self, wanted: Selection) -> Self {
        Self { wanted, ..self }
    }

    fn count<E: serde::de::Error>(&self) -> Result<(), E> {
        match self.left.get() {
            0 | 1 => {
                self.left.set(0);
                Err(E::custom("too many values"))
            }
            left => {
                self.left.set(left - 1);
                Ok(())
            }
        }
    }

    fn node<'a, E: serde::de::Error>(&self, value: Value<'a>) -> Result<Node<'a>, E> {
        self.count()?;
        Ok(Node {
            line: self.line,
            value,
        })
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Node<'de>, E> {
        self.node(Value::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Node<'de>, E> {
        self.node(Value::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Node<'de>, E> {
        self.node(Value::Number(value.to_string().into()))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Node<'de>, E> {
        self.node(Value::Number(value.to_string().into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Node<'de>, E> {
        self.node(Value::Number(value.to_string().into()))
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Node<'de>, E> {
        self.node(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Node<'de>, E> {
        self.node(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node<'de>, A::Error> {
        let item = self.within(self.wanted.item());
        let mut items = Vec::new();
        while let Some(node) = list.next_element_seed(item)? {
            items.push(node);
        }
        self.node(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node<'de>, A::Error> {
        let mut entries: Vec<(Cow<'de, str>, Node<'de>)> = Vec::new();
        let mut kind = None;
        while let Some(key) = map.next_key_seed(KeySeed)? {
            let Some(wanted) = self.wanted.below(&key, kind.as_deref()) else {
                map.next_value::<IgnoredAny>()?;
                let skipped = self.node::<A::Error>(Value::Skipped)?;
                entries.push((key, skipped));
                continue;
            };
            let node = map.next_value_seed(self.within(wanted))?;
            if let (true, Value::Text(text)) = (self.wanted.is_kind(&key), &node.value) {
                kind = Some(text.to_string());
            }
            entries.push((key, node));
        }
        self.node(Value::Map(entries))
    }
}

/// A key. It is borrowed if it contains no escapes.
struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}
