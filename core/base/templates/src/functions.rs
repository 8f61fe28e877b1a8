//! The functions that templates can call: the functions of Go's text/template, some functions of
//! sprig, and the functions of Open Cluster Management.

mod builtin;
mod compare;
mod convert;
mod encodings;
mod fractions;
mod hashes;
mod kinds;
mod lists;
mod maps;
mod matches;
mod math;
mod objects;
mod other;
mod parts;
mod paths;
mod texts;
mod times;
mod wording;

use crate::host::{Failure, Host};
use crate::value::{Map, Shape, Value};

type Ran = Result<Value, Failure>;
type Run = fn(&mut Host<'_>, &[Value]) -> Ran;

/// A function, with its parameters and its implementation.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) takes: &'static [Kind],
    /// The kind of all arguments after `takes`. None if there are no further arguments.
    pub(crate) rest: Option<Kind>,
    /// True if the function itself determines the Secrets on which its result depends. If false,
    /// the result depends on the Secrets of all arguments.
    pub(crate) keeps_origins: bool,
    pub(crate) run: Run,
}

/// The type that a parameter requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Any,
    /// Any value. Unlike for `Any`, a missing value does not become null.
    Value,
    Text,
    Int,
    Float,
    Bool,
    Map,
    Time,
}

const TABLES: &[&[Function]] = &[
    builtin::FUNCTIONS,
    compare::FUNCTIONS,
    convert::FUNCTIONS,
    encodings::FUNCTIONS,
    fractions::FUNCTIONS,
    hashes::FUNCTIONS,
    kinds::FUNCTIONS,
    lists::FUNCTIONS,
    maps::FUNCTIONS,
    matches::FUNCTIONS,
    math::FUNCTIONS,
    objects::FUNCTIONS,
    other::FUNCTIONS,
    parts::FUNCTIONS,
    paths::FUNCTIONS,
    texts::FUNCTIONS,
    times::FUNCTIONS,
    wording::FUNCTIONS,
];

pub(crate) fn find(name: &str) -> Option<&'static Function> {
    let all = TABLES.iter().flat_map(|table| table.iter());
    all.into_iter().find(|function| function.name == name)
}

/// The names of all functions, sorted.
#[must_use]
pub fn offered() -> Vec<&'static str> {
    let all = TABLES.iter().flat_map(|table| table.iter());
    let mut names: Vec<_> = all.map(|function| function.name).collect();
    names.sort_unstable();
    names
}

pub(crate) fn is_offered(name: &str) -> bool {
    find(name).is_some()
}

// === impl Function ===

impl Function {
    const fn new(name: &'static str, takes: &'static [Kind], run: Run) -> Self {
        Self {
            name,
            takes,
            rest: None,
            keeps_origins: false,
            run,
        }
    }

    const fn and(mut self, rest: Kind) -> Self {
        self.rest = Some(rest);
        self
    }

    const fn keeping_origins(mut self) -> Self {
        self.keeps_origins = true;
        self
    }

    /// Returns the kind that the argument at this index must have.
    pub(crate) fn kind(&self, index: usize) -> Kind {
        let rest = self.rest.unwrap_or(Kind::Any);
        self.takes.get(index).copied().unwrap_or(rest)
    }
}

// === impl Kind ===

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Any => "interface {}",
            Self::Value => "reflect.Value",
            Self::Text => "string",
            Self::Int => "int",
            Self::Float => "float64",
            Self::Bool => "bool",
            Self::Map => "map[string]interface {}",
            Self::Time => "time.Time",
        }
    }

    pub(crate) fn can_be_nil(self) -> bool {
        matches!(self, Self::Any | Self::Value | Self::Map)
    }
}

fn text(value: &Value) -> &[u8] {
    match &value.shape {
        Shape::Text(text) => text,
        _ => &[],
    }
}

fn string(value: &Value) -> String {
    String::from_utf8_lossy(text(value)).into_owned()
}

fn int(value: &Value) -> i64 {
    match value.shape {
        Shape::Int(number) => number,
        _ => 0,
    }
}

fn is_set(value: &Value) -> bool {
    matches!(value.shape, Shape::Bool(true))
}

/// Calls `f` with the map if the value is a map. Otherwise, returns the default of `T`.
fn with_map<T: Default>(value: &Value, f: impl FnOnce(&mut Map) -> T) -> T {
    match &value.shape {
        Shape::Map(map) => f(&mut map.borrow_mut()),
        _ => T::default(),
    }
}

fn made(host: &mut Host<'_>, text: impl Into<Vec<u8>>) -> Ran {
    let text = text.into();
    host.made(text.len())?;
    Ok(Value::text(text))
}
