//! Implements the deserializer of serde for trees.

use std::borrow::Cow;
use std::cell::RefCell;

use portolan_core_catalog::node::{Node, Value, number};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{LostFields, Misfit, PLACED, UNREAD, ValuePath, address, no_json};

/// The maximum number of dropped fields that are listed. The paths of fields can be long.
const TOLD: usize = 1000;

/// Deserializes one value of a tree.
#[derive(Clone, Copy)]
pub(super) struct Reader<'n, 'c> {
    pub(super) node: &'n Node<'n>,
    pub(super) path: &'c ValuePath<'c>,
    pub(super) lost: &'c RefCell<LostFields>,
}

// === impl Reader ===

impl<'n> Reader<'n, '_> {
    fn is_null(&self) -> bool {
        matches!(self.node.value, Value::Null | Value::Skipped)
    }

    fn map<V: Visitor<'n>>(
        self,
        entries: &'n [(Cow<'n, str>, Node<'n>)],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_map(Entries {
            rest: entries.iter(),
            next: None,
            above: self,
        })
    }

    fn number<V: Visitor<'n>>(self, text: &str, visitor: V) -> Result<V::Value, Misfit> {
        let number = number(text).ok_or_else(|| Misfit::custom(no_json(text)))?;
        if let Some(number) = number.as_u64() {
            visitor.visit_u64(number)
        } else if let Some(number) = number.as_i64() {
            visitor.visit_i64(number)
        } else {
            visitor.visit_f64(number.as_f64().unwrap_or_default())
        }
    }
}

/// Deserializes null as the empty value if a value is required, as Go does.
macro_rules! empty_for_null {
    ($($method:ident => $visit:ident($empty:expr),)+) => {
        $(fn $method<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
            if self.is_null() {
                visitor.$visit($empty)
            } else {
                self.deserialize_any(visitor)
            }
        })+
    };
}

impl<'n> Deserializer<'n> for Reader<'n, '_> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match &self.node.value {
            Value::Null | Value::Skipped => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(text) => self.number(text, visitor),
            Value::Text(text) => visitor.visit_str(text),
            Value::List(items) => visitor.visit_seq(Items {
                rest: items.iter().enumerate(),
                above: self,
            }),
            Value::Map(entries) => self.map(entries, visitor),
        }
    }

    empty_for_null! {
        deserialize_bool => visit_bool(false),
        deserialize_i8 => visit_u64(0),
        deserialize_i16 => visit_u64(0),
        deserialize_i32 => visit_u64(0),
        deserialize_i64 => visit_u64(0),
        deserialize_u8 => visit_u64(0),
        deserialize_u16 => visit_u64(0),
        deserialize_u32 => visit_u64(0),
        deserialize_u64 => visit_u64(0),
        deserialize_f32 => visit_u64(0),
        deserialize_f64 => visit_u64(0),
        deserialize_str => visit_str(""),
        deserialize_string => visit_str(""),
        deserialize_seq => visit_seq(SeqDeserializer::<_, Misfit>::new(std::iter::empty::<u64>())),
        deserialize_map => visit_map(MapDeserializer::<_, Misfit>::new(std::iter::empty::<(&str, u64)>())),
    }

    fn deserialize_struct<V: Visitor<'n>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        // Derived visitors would also accept a list that contains the fields in their order.
        if let Value::List(_) = self.node.value {
            return Err(serde::de::Error::invalid_type(
                serde::de::Unexpected::Seq,
                &visitor,
            ));
        }
        self.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
        if self.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'n>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match name {
            UNREAD => visitor.visit_unit(),
            PLACED => visitor.visit_seq(LineThenValue {
                reader: Some(self),
                line: Some(self.node.line),
            }),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
        let mut lost = self.lost.borrow_mut();
        if lost.fields.len() < TOLD {
            lost.fields.push((self.node.line, self.path.to_string()));
        } else {
            lost.others += 1;
        }
        lost.addresses.insert(address(self.node));
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'n>>
        char bytes byte_buf unit unit_struct tuple tuple_struct enum identifier
    }
}

struct Items<'n, 'c> {
    rest: std::iter::Enumerate<std::slice::Iter<'n, Node<'n>>>,
    above: Reader<'n, 'c>,
}

impl<'n> SeqAccess<'n> for Items<'n, '_> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'n>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        let Some((at, node)) = self.rest.next() else {
            return Ok(None);
        };
        let path = ValuePath::Index(self.above.path, at);
        let reader = Reader {
            node,
            path: &path,
            lost: self.above.lost,
        };
        let read = seed.deserialize(reader);
        read.map(Some).map_err(|misfit| misfit.at(node, &path))
    }
}

struct Entries<'n, 'c> {
    rest: std::slice::Iter<'n, (Cow<'n, str>, Node<'n>)>,
    next: Option<(&'n str, &'n Node<'n>)>,
    above: Reader<'n, 'c>,
}

impl<'n> MapAccess<'n> for Entries<'n, '_> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'n>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        self.next = self.rest.next().map(|(key, node)| (key.as_ref(), node));
        let key = self
            .next
            .map(|(key, _)| seed.deserialize(key.into_deserializer()));
        key.transpose()
    }

    fn next_value_seed<T: DeserializeSeed<'n>>(&mut self, seed: T) -> Result<T::Value, Misfit> {
        let (key, node) = self
            .next
            .ok_or_else(|| Misfit::custom("has a value without a key"))?;
        let path = ValuePath::Key(self.above.path, key);
        let reader = Reader {
            node,
            path: &path,
            lost: self.above.lost,
        };
        seed.deserialize(reader)
            .map_err(|misfit| misfit.at(node, &path))
    }
}

struct LineThenValue<'n, 'c> {
    reader: Option<Reader<'n, 'c>>,
    line: Option<u64>,
}

impl<'n> SeqAccess<'n> for LineThenValue<'n, '_> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'n>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        if let Some(line) = self.line.take() {
            return seed.deserialize(line.into_deserializer()).map(Some);
        }
        let reader = self.reader.take();
        reader.map(|reader| seed.deserialize(reader)).transpose()
    }
}
