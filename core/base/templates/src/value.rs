//! The values of templates with their types in Go. Error messages name these types, and functions
//! accept only some types.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value as Json;

use crate::origin::Origins;
use crate::version::SemanticVersion;

/// A value, and the Secrets on which it depends.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) shape: Shape,
    /// The Secrets on which the value itself depends, without the Secrets of its elements.
    pub(crate) origins: Origins,
    /// True if the value was taken from a list or map with elements of any type. Its type in Go is
    /// then `interface {}`.
    pub(crate) is_boxed: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A missing value, such as the value of a key that a map does not contain.
    Missing,
    /// A null in a list or map.
    Null,
    Bool(bool),
    /// An integer of Go's type `int`, such as a literal or the result of `len`.
    Int(i64),
    /// An integer of Go's type `int64`, such as a sum or a number in an object.
    Int64(i64),
    Uint64(u64),
    /// A byte of a text, of Go's type `byte`.
    Byte(u8),
    Float(f64),
    /// A text. As in Go, it consists of bytes, because a function may split it inside a character.
    Text(Rc<[u8]>),
    List(Elements, Rc<[Value]>),
    /// A map. Several variables can share it, so `set` changes the map for all of them.
    Map(Rc<RefCell<Map>>),
    Version(Rc<SemanticVersion>),
    /// A time, in seconds since 1970.
    Time(i64),
    /// A struct without fields. It is the initial value of `.` in templates on managed clusters.
    Empty,
}

/// The type of the elements of a list or a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elements {
    Any,
    Text,
    Int,
}

#[derive(Debug, Clone)]
pub(crate) struct Map {
    pub(crate) elements: Elements,
    pub(crate) entries: BTreeMap<Rc<[u8]>, Value>,
    /// The Secrets that determined which keys the map has.
    pub(crate) origins: Origins,
    /// True for a map that is nil in Go, such as an object that `lookup` did not find.
    pub(crate) is_nil: bool,
}

/// The maximum nesting depth of a value.
pub(crate) const DEEPEST_VALUE: usize = 64;

// === impl Value ===

impl From<Shape> for Value {
    fn from(shape: Shape) -> Self {
        Self {
            shape,
            origins: Origins::default(),
            is_boxed: false,
        }
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Self {
        Shape::Bool(is).into()
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text.as_bytes())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::text(text.as_bytes())
    }
}

impl Value {
    pub(crate) fn text(bytes: impl Into<Rc<[u8]>>) -> Self {
        Shape::Text(bytes.into()).into()
    }

    pub(crate) fn length(count: usize) -> Self {
        Shape::Int(i64::try_from(count).unwrap_or(i64::MAX)).into()
    }

    pub(crate) fn list(elements: Elements, values: Vec<Self>) -> Self {
        Shape::List(elements, values.into()).into()
    }

    pub(crate) fn texts(texts: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self::list(Elements::Text, texts.into_iter().map(Self::text).collect())
    }

    pub(crate) fn map(elements: Elements, entries: BTreeMap<Rc<[u8]>, Self>) -> Self {
        Shape::Map(Rc::new(RefCell::new(Map {
            elements,
            entries,
            origins: Origins::default(),
            is_nil: false,
        })))
        .into()
    }

    /// Returns a map that is nil in Go.
    pub(crate) fn nil_map() -> Self {
        Shape::Map(Rc::new(RefCell::new(Map {
            elements: Elements::Any,
            entries: BTreeMap::new(),
            origins: Origins::default(),
            is_nil: true,
        })))
        .into()
    }

    /// Converts an object of a cluster to a value. Integers remain integers.
    pub(crate) fn from_object(json: &Json) -> Self {
        Self::from_json(json, Shape::Int64)
    }

    /// Converts JSON to a value as `fromJson` does. Every number becomes a float.
    #[expect(
        clippy::cast_precision_loss,
        reason = "encoding/json reads numbers as float64, and loses the same"
    )]
    pub(crate) fn from_json_text(json: &Json) -> Self {
        Self::from_json(json, |whole| Shape::Float(whole as f64))
    }

    pub(crate) fn from_json(json: &Json, whole: fn(i64) -> Shape) -> Self {
        match json {
            Json::Null => Shape::Null.into(),
            Json::Bool(is) => Shape::Bool(*is).into(),
            Json::Number(number) => match number.as_i64() {
                Some(number) => whole(number).into(),
                None => Shape::Float(number.as_f64().unwrap_or_default()).into(),
            },
            Json::String(text) => text.as_str().into(),
            Json::Array(values) => {
                let values = values.iter().map(|value| Self::from_json(value, whole));
                Self::list(Elements::Any, values.collect())
            }
            Json::Object(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| (key.as_bytes().into(), Self::from_json(value, whole)));
                Self::map(Elements::Any, entries.collect())
            }
        }
    }

    /// Returns the Secrets on which the value and its elements depend.
    pub(crate) fn all_origins(&self) -> Origins {
        self.weighed().0
    }

    /// Returns the Secrets on which the value and its elements depend, and the number of visited
    /// values. Visits shared values only once.
    pub(crate) fn weighed(&self) -> (Origins, usize) {
        let mut origins = Origins::default();
        let mut seen = BTreeSet::new();
        let mut count = 0;
        let mut open = vec![self.clone()];
        while let Some(value) = open.pop() {
            count += 1;
            origins.join(&value.origins);
            match &value.shape {
                Shape::List(_, values) => {
                    if seen.insert(values.as_ptr().addr()) {
                        open.extend(values.iter().cloned());
                    }
                }
                Shape::Map(map) => {
                    if seen.insert(Rc::as_ptr(map).addr()) {
                        let map = map.borrow();
                        origins.join(&map.origins);
                        open.extend(map.entries.values().cloned());
                    }
                }
                Shape::Text(text) => count += text.len() / 64,
                Shape::Missing
                | Shape::Null
                | Shape::Bool(_)
                | Shape::Int(_)
                | Shape::Int64(_)
                | Shape::Uint64(_)
                | Shape::Byte(_)
                | Shape::Float(_)
                | Shape::Version(_)
                | Shape::Time(_)
                | Shape::Empty => {}
            }
        }
        (origins, count)
    }

    #[must_use]
    pub(crate) fn depending_on(mut self, origins: &Origins) -> Self {
        self.origins.join(origins);
        self
    }

    /// Returns the value as an element of a list or map whose elements have this type.
    #[must_use]
    pub(crate) fn in_list_of(mut self, elements: Elements) -> Self {
        self.is_boxed = elements == Elements::Any;
        self
    }

    #[must_use]
    pub(crate) fn unboxed(mut self) -> Self {
        self.is_boxed = false;
        if matches!(self.shape, Shape::Null) {
            self.shape = Shape::Missing;
        }
        self
    }

    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self.shape, Shape::Missing | Shape::Null)
    }

    /// Returns true if `if` takes the first branch for this value.
    pub(crate) fn is_true(&self) -> bool {
        match &self.shape {
            Shape::Missing | Shape::Null => false,
            Shape::Bool(is) => *is,
            Shape::Int(number) | Shape::Int64(number) => *number != 0,
            Shape::Uint64(number) => *number != 0,
            Shape::Byte(number) => *number != 0,
            Shape::Float(number) => *number != 0.0,
            Shape::Text(text) => !text.is_empty(),
            Shape::List(_, values) => !values.is_empty(),
            Shape::Map(map) => !map.borrow().entries.is_empty(),
            Shape::Version(_) | Shape::Time(_) | Shape::Empty => true,
        }
    }

    /// Returns the name of the value's type for error messages.
    pub(crate) fn type_name(&self) -> &'static str {
        if self.is_boxed {
            "interface {}"
        } else {
            self.shape.type_name()
        }
    }
}

// === impl Shape ===

impl Shape {
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Missing => "<nil>",
            Self::Null => "interface {}",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Int64(_) => "int64",
            Self::Uint64(_) => "uint64",
            Self::Byte(_) => "uint8",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::List(Elements::Any, _) => "[]interface {}",
            Self::List(Elements::Text, _) => "[]string",
            Self::List(Elements::Int, _) => "[]int",
            Self::Map(map) => match map.borrow().elements {
                Elements::Any => "map[string]interface {}",
                Elements::Text => "map[string]string",
                Elements::Int => "map[string]int",
            },
            Self::Version(_) => "*semver.Version",
            Self::Time(_) => "time.Time",
            Self::Empty => "struct {}",
        }
    }

    /// Returns the name of the type's kind in Go, such as `slice`.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self {
            Self::List(..) => "slice",
            Self::Map(_) => "map",
            Self::Version(_) => "ptr",
            Self::Time(_) | Self::Empty => "struct",
            Self::Missing
            | Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Int64(_)
            | Self::Uint64(_)
            | Self::Byte(_)
            | Self::Float(_)
            | Self::Text(_) => self.type_name(),
        }
    }
}
