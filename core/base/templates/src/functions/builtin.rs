//! The functions of Go's text/template, except comparisons.

use std::fmt::Write as _;

use super::{Function, Kind, Ran, made, text};
use crate::host::{Failure, Host};
use crate::print::{plain, print, printf, println};
use crate::quote::is_printable;
use crate::value::{Elements, Map, Shape, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    // Calls of these two functions never get here: the evaluation implements them, because they do
    // not evaluate all arguments.
    Function::new("and", &[Kind::Value], |_, _| Ok(Shape::Missing.into())).and(Kind::Value),
    Function::new("or", &[Kind::Value], |_, _| Ok(Shape::Missing.into())).and(Kind::Value),
    Function::new("not", &[Kind::Value], |_, values| {
        Ok((!values[0].is_true()).into())
    }),
    Function::new("call", &[Kind::Value], call).and(Kind::Value),
    Function::new("len", &[Kind::Value], len),
    Function::new("index", &[Kind::Value], index)
        .and(Kind::Value)
        .keeping_origins(),
    Function::new("print", &[], |host, values| made(host, print(values)?)).and(Kind::Any),
    Function::new("println", &[], |host, values| made(host, println(values)?)).and(Kind::Any),
    Function::new("printf", &[Kind::Text], |host, values| {
        made(host, printf(text(&values[0]), &values[1..])?)
    })
    .and(Kind::Any),
    Function::new("html", &[], |host, values| {
        made(host, html(&joined(values)?))
    })
    .and(Kind::Any),
    Function::new("js", &[], |host, values| made(host, js(&joined(values)?))).and(Kind::Any),
    Function::new("urlquery", &[], |host, values| {
        made(host, urlquery(&joined(values)?))
    })
    .and(Kind::Any),
];

/// The function `call` always fails, because no value in these templates is a function.
fn call(_: &mut Host<'_>, values: &[Value]) -> Ran {
    if values[0].is_nothing() {
        return Err("call of nil".into());
    }
    Err(format!("non-function of type {}", values[0].shape.type_name()).into())
}

fn len(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let length = match &values[0].shape {
        Shape::Text(text) => text.len(),
        Shape::List(_, values) => values.len(),
        Shape::Map(map) => map.borrow().entries.len(),
        Shape::Missing => return Err("reflect: call of reflect.Value.Type on zero Value".into()),
        Shape::Null => return Err("len of nil pointer".into()),
        other => return Err(format!("len of type {}", other.type_name()).into()),
    };
    Ok(Value::length(length))
}

fn index(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut item = values[0].clone();
    if item.is_nothing() {
        return Err("index of untyped nil".into());
    }
    for at in &values[1..] {
        let outer = item.origins.clone();
        item = match &item.shape {
            Shape::Null | Shape::Missing => return Err("index of nil pointer".into()),
            Shape::Text(text) => {
                let at = place(at, text.len())?;
                let byte = text
                    .get(at)
                    .copied()
                    .ok_or("reflect: string index out of range")?;
                Shape::Byte(byte).into()
            }
            Shape::List(elements, values) => {
                let at = place(at, values.len())?;
                let value = values.get(at).ok_or("reflect: slice index out of range")?;
                value.clone().in_list_of(*elements)
            }
            Shape::Map(map) => {
                let map = map.borrow();
                entry(&map, at)?.depending_on(&map.origins)
            }
            other => return Err(format!("can't index item of type {}", other.type_name()).into()),
        };
        item = item.depending_on(&outer).depending_on(&at.origins);
    }
    Ok(item)
}

fn entry(map: &Map, key: &Value) -> Result<Value, Failure> {
    let key = match &key.shape {
        Shape::Text(key) => key,
        Shape::Missing | Shape::Null => {
            return Err("value is nil; should be of type string".into());
        }
        other => {
            let of = other.type_name();
            return Err(format!("value has type {of}; should be string").into());
        }
    };
    let found = map.entries.get(key).cloned();
    Ok(match (found, map.elements) {
        (Some(value), elements) => value.in_list_of(elements),
        (None, Elements::Any) => Value::from(Shape::Null).in_list_of(Elements::Any),
        (None, Elements::Text) => "".into(),
        (None, Elements::Int) => Shape::Int(0).into(),
    })
}

/// Checks an index and returns it. It may equal the length, because Go checks this case only later.
fn place(at: &Value, length: usize) -> Result<usize, Failure> {
    let number = match &at.shape {
        Shape::Int(number) | Shape::Int64(number) => *number,
        Shape::Uint64(number) => i64::try_from(*number).unwrap_or(-1),
        Shape::Byte(number) => (*number).into(),
        Shape::Missing | Shape::Null => return Err("cannot index slice/array with nil".into()),
        other => {
            let of = other.type_name();
            return Err(format!("cannot index slice/array with type {of}").into());
        }
    };
    let place = usize::try_from(number).ok().filter(|at| *at <= length);
    place.ok_or_else(|| format!("index out of range: {number}").into())
}

/// Joins the arguments into one text, for functions such as `html`.
fn joined(values: &[Value]) -> Result<Vec<u8>, Failure> {
    let shown = values.iter().map(|value| {
        if value.is_nothing() {
            "<no value>".into()
        } else {
            value.clone()
        }
    });
    let shown: Vec<_> = shown.collect();
    match &shown[..] {
        [one] => Ok(plain(one)?),
        all => Ok(print(all)?),
    }
}

fn html(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in text {
        match byte {
            0 => out.extend("\u{fffd}".bytes()),
            b'"' => out.extend(b"&#34;"),
            b'\'' => out.extend(b"&#39;"),
            b'&' => out.extend(b"&amp;"),
            b'<' => out.extend(b"&lt;"),
            b'>' => out.extend(b"&gt;"),
            _ => out.push(*byte),
        }
    }
    out
}

fn js(text: &[u8]) -> String {
    let mut out = String::new();
    for letter in String::from_utf8_lossy(text).chars() {
        match letter {
            '\\' | '\'' | '"' => out.extend(['\\', letter]),
            '<' | '>' | '&' | '=' => escape(&mut out, letter),
            _ if letter < ' ' || !is_printable(letter) && !letter.is_ascii() => {
                escape(&mut out, letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

fn escape(out: &mut String, letter: char) {
    write!(out, "\\u{:04X}", u32::from(letter)).expect("a String must take what is written");
}

fn urlquery(text: &[u8]) -> String {
    let mut out = String::new();
    for byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(*byte));
            }
            b' ' => out.push('+'),
            _ => write!(out, "%{byte:02X}").expect("a String must take what is written"),
        }
    }
    out
}
