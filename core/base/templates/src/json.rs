//! Writes values as JSON in the format of Go's encoding/json.

use std::fmt::Write as _;

use crate::fault::Limit;
use crate::time;
use crate::value::{DEEPEST_VALUE, Shape, Value};

/// Determines which characters are also escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// Escapes `<`, `>` and `&`.
    Html,
    None,
}

/// # Errors
/// Returns an error if the value is nested too deeply.
pub(crate) fn encoded(value: &Value, escapes: Escapes) -> Result<String, Limit> {
    let mut out = String::new();
    write(&mut out, value, escapes, DEEPEST_VALUE)?;
    Ok(out)
}

fn write(out: &mut String, value: &Value, escapes: Escapes, deepest: usize) -> Result<(), Limit> {
    let deepest = deepest.checked_sub(1).ok_or(Limit::Nesting)?;
    if out.len() > crate::fault::MOST_BYTES {
        return Err(Limit::Bytes);
    }
    match &value.shape {
        Shape::Missing | Shape::Null => out.push_str("null"),
        Shape::Bool(is) => *out += if *is { "true" } else { "false" },
        Shape::Int(number) | Shape::Int64(number) => *out += &number.to_string(),
        Shape::Uint64(number) => *out += &number.to_string(),
        Shape::Byte(number) => *out += &number.to_string(),
        Shape::Float(number) => *out += &float(*number),
        Shape::Text(text) => string(out, text, escapes),
        Shape::Version(version) => string(out, version.to_string().as_bytes(), escapes),
        Shape::Time(seconds) => {
            string(
                out,
                time::formatted("2006-01-02T15:04:05Z07:00", *seconds).as_bytes(),
                escapes,
            );
        }
        Shape::Empty => out.push_str("{}"),
        Shape::List(_, values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, value, escapes, deepest)?;
            }
            out.push(']');
        }
        Shape::Map(map) if map.borrow().is_nil => out.push_str("null"),
        Shape::Map(map) => {
            out.push('{');
            for (index, (key, value)) in map.borrow().entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                string(out, key, escapes);
                out.push(':');
                write(out, value, escapes, deepest)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

fn float(number: f64) -> String {
    let magnitude = number.abs();
    if number != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        let text = format!("{number:e}");
        return text.replace('e', if text.contains("e-") { "e" } else { "e+" });
    }
    format!("{number}")
}

fn string(out: &mut String, text: &[u8], escapes: Escapes) {
    out.push('"');
    for letter in String::from_utf8_lossy(text).chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' if escapes == Escapes::Html => escape(out, letter),
            '\u{2028}' | '\u{2029}' => escape(out, letter),
            _ if letter < ' ' => escape(out, letter),
            _ => out.push(letter),
        }
    }
    out.push('"');
}

fn escape(out: &mut String, letter: char) {
    write!(out, "\\u{:04x}", u32::from(letter)).expect("a String must take what is written");
}

/// Returns the JSON on several lines, with an indentation of two blanks.
///
/// # Errors
/// Returns an error if the result is too long.
pub(crate) fn indented(json: &str) -> Result<String, Limit> {
    let mut out = String::new();
    let (mut depth, mut is_quoted, mut is_escaped) = (0usize, false, false);
    let mut letters = json.chars().peekable();
    while let Some(letter) = letters.next() {
        if matches!(letter, '}' | ']') && !is_quoted {
            depth = depth.saturating_sub(1);
            line(&mut out, depth);
        }
        out.push(letter);
        if is_quoted {
            is_quoted = letter != '"' || is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            continue;
        }
        let is_empty = matches!(letters.peek(), Some('}' | ']'));
        match letter {
            '"' => is_quoted = true,
            ':' => out.push(' '),
            '{' | '[' if is_empty => out.extend(letters.next()),
            '{' | '[' => {
                depth += 1;
                line(&mut out, depth);
            }
            ',' => line(&mut out, depth),
            _ => {}
        }
        if out.len() > crate::fault::MOST_BYTES {
            return Err(Limit::Bytes);
        }
    }
    Ok(out)
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend((0..depth).map(|_| "  "));
}
