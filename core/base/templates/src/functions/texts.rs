//! The functions for texts.

use std::collections::BTreeMap;

use memchr::memmem;

use super::{Function, Kind, Ran, int, made, string, text};
use crate::host::{Failure, Host};
use crate::print::plain;
use crate::quote::quoted;
use crate::value::{Elements, Shape, Value};

const TWO: &[Kind] = &[Kind::Text, Kind::Text];

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("trim", &[Kind::Text], |_, values| {
        Ok(string(&values[0]).trim().into())
    }),
    Function::new("trimAll", TWO, |_, values| Ok(trimmed(values))),
    Function::new("trimall", TWO, |_, values| Ok(trimmed(values))),
    Function::new("trunc", &[Kind::Int, Kind::Text], |_, values| {
        Ok(trunc(int(&values[0]), text(&values[1])))
    }),
    Function::new(
        "substr",
        &[Kind::Int, Kind::Int, Kind::Text],
        |_, values| substr(int(&values[0]), int(&values[1]), text(&values[2])),
    ),
    Function::new("contains", TWO, |_, values| {
        Ok(memmem::find(text(&values[1]), text(&values[0]))
            .is_some()
            .into())
    }),
    Function::new("hasPrefix", TWO, |_, values| {
        Ok(text(&values[1]).starts_with(text(&values[0])).into())
    }),
    Function::new("hasSuffix", TWO, |_, values| {
        Ok(text(&values[1]).ends_with(text(&values[0])).into())
    }),
    Function::new("trimPrefix", TWO, |_, values| {
        let text_of = text(&values[1]);
        Ok(Value::text(
            text_of.strip_prefix(text(&values[0])).unwrap_or(text_of),
        ))
    }),
    Function::new("trimSuffix", TWO, |_, values| {
        let text_of = text(&values[1]);
        Ok(Value::text(
            text_of.strip_suffix(text(&values[0])).unwrap_or(text_of),
        ))
    }),
    Function::new("nospace", &[Kind::Text], |host, values| {
        let source = text(&values[0]);
        if !source.iter().any(|byte| is_blank(*byte)) {
            return Ok(values[0].clone());
        }
        let kept = source.iter().filter(|byte| !is_blank(**byte));
        made(host, kept.map(|byte| char::from(*byte)).collect::<String>())
    }),
    Function::new("repeat", &[Kind::Int, Kind::Text], repeat),
    Function::new("nindent", &[Kind::Int, Kind::Text], nindent),
    Function::new("squote", &[], squote).and(Kind::Any),
    Function::new("replace", &[Kind::Text, Kind::Text, Kind::Text], replace),
    Function::new("quote", &[], quote).and(Kind::Any),
    Function::new("cat", &[], cat).and(Kind::Any),
    Function::new("join", &[Kind::Text, Kind::Any], join),
    Function::new("split", TWO, |host, values| {
        let parts = split(host, text(&values[0]), text(&values[1]), -1)?;
        Ok(numbered(parts))
    }),
    Function::new(
        "splitn",
        &[Kind::Text, Kind::Int, Kind::Text],
        |host, values| {
            let parts = split(host, text(&values[0]), text(&values[2]), int(&values[1]))?;
            Ok(numbered(parts))
        },
    ),
    Function::new("splitList", TWO, |host, values| {
        Ok(Value::texts(split(
            host,
            text(&values[0]),
            text(&values[1]),
            -1,
        )?))
    }),
    Function::new("indent", &[Kind::Int, Kind::Text], indent),
    // The rewrite before parsing replaces each valid call of `autoindent` by `indent`. So a call
    // that remains is at an invalid position.
    Function::new("autoindent", &[Kind::Text], |_, _| {
        Err("an unexpected error occurred where autoindent could not be processed".into())
    }),
];

fn trimmed(values: &[Value]) -> Value {
    let cut = string(&values[0]);
    let source = string(&values[1]);
    source.trim_matches(|letter| cut.contains(letter)).into()
}

/// Returns true if a byte is a blank in Latin-1, because some functions of sprig treat each byte as
/// a character.
pub(super) fn is_blank(byte: u8) -> bool {
    char::from(byte).is_whitespace()
}

/// Converts a value to a text.
pub(super) fn strval(value: &Value) -> Result<Vec<u8>, Failure> {
    Ok(plain(value)?)
}

/// Converts the elements of a list to texts, and omits nulls. If the value is not a list, returns
/// only this value as a text.
pub(super) fn strings(host: &mut Host<'_>, value: &Value) -> Result<Vec<Vec<u8>>, Failure> {
    let Shape::List(_, values) = &value.shape else {
        return if value.is_nothing() {
            Ok(Vec::new())
        } else {
            Ok(vec![strval(value)?])
        };
    };
    host.steps(values.len())?;
    let mut texts = Vec::new();
    for value in values.iter().filter(|value| !value.is_nothing()) {
        let text = strval(value)?;
        host.made(text.len())?;
        texts.push(text);
    }
    Ok(texts)
}

fn trunc(count: i64, text: &[u8]) -> Value {
    let magnitude = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    let cut = match (count < 0, magnitude < text.len()) {
        (true, true) => &text[text.len() - magnitude..],
        (false, true) => &text[..magnitude],
        (_, false) => text,
    };
    Value::text(cut)
}

fn substr(start: i64, end: i64, text: &[u8]) -> Ran {
    let length = text.len();
    let end = if start >= 0 && (end < 0 || usize::try_from(end).is_ok_and(|end| end > length)) {
        i64::try_from(length).unwrap_or(i64::MAX)
    } else {
        end
    };
    let start = start.max(0);
    let places = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    match places.and_then(|(start, end)| text.get(start..end)) {
        Some(cut) => Ok(Value::text(cut)),
        None if end < 0 => Err(format!("runtime error: slice bounds out of range [:{end}]").into()),
        None if usize::try_from(end).is_ok_and(|end| end > length) => Err(format!(
            "runtime error: slice bounds out of range [:{end}] with length {length}"
        )
        .into()),
        None => Err(format!("runtime error: slice bounds out of range [{start}:{end}]").into()),
    }
}

fn replace(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let (old, new, source) = (text(&values[0]), text(&values[1]), text(&values[2]));
    let places: Vec<usize> = if old.is_empty() {
        let source = string(&values[2]);
        source
            .char_indices()
            .map(|(at, _)| at)
            .chain([source.len()])
            .collect()
    } else {
        memmem::find_iter(source, old).collect()
    };
    host.made(
        source
            .len()
            .saturating_add(places.len().saturating_mul(new.len())),
    )?;
    let mut out = Vec::new();
    let mut from = 0;
    for at in places {
        out.extend(&source[from..at]);
        out.extend(new);
        from = at + old.len();
    }
    out.extend(&source[from..]);
    Ok(Value::text(out))
}

fn quote(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut out = Vec::new();
    for value in values.iter().filter(|value| !value.is_nothing()) {
        out.push(quoted(&strval(value)?));
    }
    made(host, out.join(" "))
}

fn squote(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut out = Vec::new();
    for value in values.iter().filter(|value| !value.is_nothing()) {
        out.push([b"'", &strval(value)?[..], b"'"].concat());
    }
    made(host, out.join(&b' '))
}

fn repeat(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let Ok(count) = usize::try_from(int(&values[0])) else {
        return Err("strings: negative Repeat count".into());
    };
    host.made(count.saturating_mul(text(&values[1]).len()))?;
    Ok(Value::text(text(&values[1]).repeat(count)))
}

/// Returns the text on a new line, with each line indented.
fn nindent(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let (spaces, source) = indentation(host, values)?;
    let padding = format!("\n{}", " ".repeat(spaces));
    Ok((padding.clone() + &source.replace('\n', &padding)).into())
}

fn cat(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let there = values.iter().filter(|value| !value.is_nothing());
    let texts: Result<Vec<_>, _> = there.map(strval).collect();
    made(host, texts?.join(&b' '))
}

fn join(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let texts = strings(host, &values[1])?;
    let between = text(&values[0]);
    let bytes: usize = texts.iter().map(|text| text.len() + between.len()).sum();
    host.made(bytes)?;
    Ok(Value::text(texts.join(between)))
}

/// Splits a text into at most `most` parts. A negative number means that there is no limit. An
/// empty separator splits the text into characters.
fn split(host: &mut Host<'_>, by: &[u8], text: &[u8], most: i64) -> Result<Vec<Vec<u8>>, Failure> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut parts = Vec::new();
    let mut from = 0;
    if most == 0 {
        return Ok(parts);
    }
    let places: Box<dyn Iterator<Item = (usize, usize)>> = if by.is_empty() {
        let text = String::from_utf8_lossy(text).into_owned();
        let starts: Vec<_> = text
            .char_indices()
            .skip(1)
            .map(|(at, _)| (at, at))
            .collect();
        Box::new(starts.into_iter())
    } else {
        Box::new(memmem::find_iter(text, by).map(|at| (at, at + by.len())))
    };
    for (end, next) in places {
        host.steps(1)?;
        if parts.len() + 1 == most {
            break;
        }
        parts.push(text[from..end].to_vec());
        from = next;
    }
    if !(by.is_empty() && text.is_empty()) {
        parts.push(text[from..].to_vec());
    }
    Ok(parts)
}

/// Returns the parts as a map with the keys `_0`, `_1` and so on.
fn numbered(parts: Vec<Vec<u8>>) -> Value {
    let entries = parts.into_iter().enumerate();
    let entries: BTreeMap<_, _> = entries
        .map(|(index, part)| (format!("_{index}").into_bytes().into(), Value::text(part)))
        .collect();
    Value::map(Elements::Text, entries)
}

fn indent(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let (spaces, source) = indentation(host, values)?;
    let padding = format!("\n{}", " ".repeat(spaces));
    Ok(source.replace('\n', &padding).trim().into())
}

/// Returns the number of blanks and the text. Counts the size of the indented text before it is
/// created.
fn indentation(host: &mut Host<'_>, values: &[Value]) -> Result<(usize, String), Failure> {
    let Ok(spaces) = usize::try_from(int(&values[0])) else {
        return Err("strings: negative Repeat count".into());
    };
    let source = string(&values[1]);
    let lines = source.matches('\n').count() + 1;
    host.made(source.len().saturating_add(lines.saturating_mul(spaces)))?;
    Ok((spaces, source))
}
