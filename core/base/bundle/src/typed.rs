//! Parses a tree into types by the rules of Go. Unknown fields are reported and dropped. A null
//! becomes the empty value. A value of another type is a [`Misfit`] with its line.

mod reader;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use portolan_core_catalog::node::{Node, Value};
use portolan_core_names::text::cut;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, Expected, SeqAccess, Unexpected, Visitor};

use reader::Reader;

/// The names of newtypes that have a special meaning for the deserializer. Serde has no method for
/// this.
const PLACED: &str = "portolan placed";
const UNREAD: &str = "portolan unread";

/// The error for a value of the wrong type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// The line. Zero if it is unknown.
    pub(crate) line: u64,
    pub(crate) sentence: String,
    /// The address of the value in the tree. None if it is unknown, or if the error concerns no
    /// value.
    address: Option<usize>,
}

/// The fields in a tree that the types do not define.
#[derive(Debug, Default)]
pub(crate) struct LostFields {
    /// The paths of the fields, each with its line.
    pub(crate) fields: Vec<(u64, String)>,
    /// The number of further fields that are not listed.
    pub(crate) others: usize,
    /// The addresses of the fields' values in the tree.
    addresses: BTreeSet<usize>,
}

/// A value and its first line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Placed<T> {
    pub(crate) line: u64,
    pub(crate) value: T,
}

/// A value whose type is checked, but whose content is not stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Checked<T>(PhantomData<T>);

/// A known field whose value is not checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Unread;

/// Parses a tree. Returns all errors, up to a limit.
///
/// Serde stops at the first invalid value. This function replaces the value by the empty value,
/// which every type accepts, and parses the tree again.
///
/// # Errors
///
/// Returns the invalid values. The tree is then incomplete, because they were removed from it.
pub(crate) fn read_whole<T: for<'n> Deserialize<'n>>(
    node: &mut Node<'_>,
    path: &str,
) -> Result<(T, LostFields), Vec<Misfit>> {
    const TOLD: usize = 100;
    let mut misfits = Vec::new();
    loop {
        let lost = RefCell::new(LostFields::default());
        match read(node, path, &lost) {
            Ok(whole) if misfits.is_empty() => return Ok((whole, lost.into_inner())),
            Ok(_) => return Err(misfits),
            Err(misfit) => {
                let emptied = misfit.address.is_some_and(|address| empty(node, address));
                misfits.push(misfit);
                if !emptied || misfits.len() == TOLD {
                    return Err(misfits);
                }
            }
        }
    }
}

/// Replaces the value at this address by the empty value. Returns true if the value existed and was
/// not already empty.
fn empty(node: &mut Node<'_>, wanted: usize) -> bool {
    if address(node) == wanted {
        return std::mem::replace(&mut node.value, Value::Null) != Value::Null;
    }
    match &mut node.value {
        Value::List(items) => items.iter_mut().any(|item| empty(item, wanted)),
        Value::Map(entries) => entries.iter_mut().any(|(_, value)| empty(value, wanted)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Skipped => false,
    }
}

/// Parses a tree up to the first invalid value. `path` is the path of the tree in messages.
fn read<'n, T: Deserialize<'n>>(
    node: &'n Node<'_>,
    path: &str,
    lost: &RefCell<LostFields>,
) -> Result<T, Misfit> {
    let place = ValuePath::Root(path);
    let reader = Reader {
        node,
        path: &place,
        lost,
    };
    T::deserialize(reader).map_err(|misfit| misfit.at(node, &place))
}

// === impl LostFields ===

impl LostFields {
    pub(crate) fn contains(&self, node: &Node<'_>) -> bool {
        self.addresses.contains(&address(node))
    }
}

fn address(node: &Node<'_>) -> usize {
    std::ptr::from_ref(node).addr()
}

/// The path to a value.
#[derive(Clone, Copy)]
enum ValuePath<'p> {
    Root(&'p str),
    Key(&'p ValuePath<'p>, &'p str),
    Index(&'p ValuePath<'p>, usize),
}

/// Returns a key that an author wrote, truncated for a path.
pub(crate) fn shortened(key: &str) -> String {
    const LONGEST: usize = 80;
    cut(key, LONGEST)
}

impl fmt::Display for ValuePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(root) => f.write_str(root),
            Self::Key(Self::Root(""), key) => f.write_str(&shortened(key)),
            Self::Key(above, key) => write!(f, "{above}.{}", shortened(key)),
            Self::Index(above, at) => write!(f, "{above}[{at}]"),
        }
    }
}

// === impl Misfit ===

impl Misfit {
    pub(crate) fn new(line: u64, sentence: String) -> Self {
        Self {
            line,
            sentence,
            address: None,
        }
    }

    fn at(self, node: &Node<'_>, path: &ValuePath<'_>) -> Self {
        match self.line {
            0 => Self {
                line: node.line,
                sentence: format!("`{path}` {}", self.sentence),
                address: Some(address(node)),
            },
            _ => self,
        }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for Misfit {}

impl serde::de::Error for Misfit {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(0, message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_value(found, expected)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let expected = wanted(&expected.to_string());
        Self::custom(format_args!("is {}, not {expected}", words(&found)))
    }
}

/// Returns the name of the expected type in messages about manifests.
fn wanted(expected: &str) -> String {
    match expected {
        "i32" | "i64" | "u64" => "a whole number".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "an object".to_owned(),
        "IntOrString" => "a number or a string".to_owned(),
        "Quantity" => "a quantity".to_owned(),
        known if known.starts_with(|first: char| first.is_ascii_uppercase()) => {
            "an object".to_owned()
        }
        known if known.starts_with("struct ") => "an object".to_owned(),
        other => other.to_owned(),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "serde may find more kinds of values"
)]
fn words(found: &Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("the truth value {value}"),
        Unexpected::Unsigned(number) => format!("the number {number}"),
        Unexpected::Signed(number) => format!("the number {number}"),
        Unexpected::Float(number) => format!("the number {number}"),
        Unexpected::Str(text) => Value::Text((*text).into()).describe(),
        Unexpected::Unit => "empty".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// Returns the message about a number that JSON cannot represent.
pub(crate) fn no_json(text: &str) -> String {
    format!("is {text}, which JSON cannot represent")
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Placed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pair<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Pair<T> {
            type Value = Placed<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value with its line")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> Result<Placed<T>, A::Error> {
                let missing = || A::Error::custom("has no value");
                let line = pair.next_element()?.ok_or_else(missing)?;
                let value = pair.next_element()?.ok_or_else(missing)?;
                Ok(Placed { line, value })
            }
        }

        deserializer.deserialize_newtype_struct(PLACED, Pair(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Checked<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(|_| Self(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Unread {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Nothing;

        impl Visitor<'_> for Nothing {
            type Value = Unread;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_unit<E>(self) -> Result<Unread, E> {
                Ok(Unread)
            }
        }

        deserializer.deserialize_newtype_struct(UNREAD, Nothing)
    }
}
