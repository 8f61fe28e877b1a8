//! Writes JSON as YAML, with exactly the same characters as Go's YAML library with an indentation
//! of two. The characters must be the same, because the quotes and blanks around a template affect
//! its result.

use std::cmp::Ordering;
use std::fmt::Write as _;

use serde_json::Value as Json;

use super::read::is_text;
use crate::number::shortest;

pub(crate) fn written(json: &Json) -> String {
    let mut out = String::new();
    if is_block(json) {
        block(&mut out, json, 0, false);
    } else {
        scalar(&mut out, json, 0);
        end_line(&mut out);
    }
    out
}

/// Writes a list or an object that is not empty. If `is_inline` is true, its first line continues
/// the current line.
fn block(out: &mut String, json: &Json, indent: usize, is_inline: bool) {
    let mut is_first = is_inline;
    match json {
        Json::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by(|(first, _), (other, _)| natural(first, other));
            for (key, value) in entries {
                begin(out, indent, &mut is_first);
                text(out, key, indent, true);
                out.push(':');
                value_behind(out, value, indent);
            }
        }
        Json::Array(values) => {
            for value in values {
                begin(out, indent, &mut is_first);
                out.push('-');
                element(out, value, indent);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

fn begin(out: &mut String, indent: usize, is_first: &mut bool) {
    if !std::mem::take(is_first) {
        out.push_str(&" ".repeat(indent));
    }
}

/// Writes the value of a key, after the key.
fn value_behind(out: &mut String, value: &Json, indent: usize) {
    if is_block(value) {
        out.push('\n');
        block(out, value, indent + 2, false);
        return;
    }
    out.push(' ');
    scalar(out, value, indent + 2);
    end_line(out);
}

/// Writes a list item, after its dash.
fn element(out: &mut String, value: &Json, indent: usize) {
    out.push(' ');
    if is_block(value) {
        block(out, value, indent + 2, true);
        return;
    }
    scalar(out, value, indent + 2);
    end_line(out);
}

fn end_line(out: &mut String) {
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

fn is_block(value: &Json) -> bool {
    match value {
        Json::Object(entries) => !entries.is_empty(),
        Json::Array(values) => !values.is_empty(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

fn scalar(out: &mut String, value: &Json, indent: usize) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(is) => *out += if *is { "true" } else { "false" },
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (None, Some(float)) if number.is_f64() => *out += &shortest(float),
            _ => *out += &number.to_string(),
        },
        Json::String(value) => text(out, value, indent, false),
        Json::Array(_) => out.push_str("[]"),
        Json::Object(_) => out.push_str("{}"),
    }
}

/// The styles in which a text cannot be written, because it would be read as something else.
#[derive(Debug, Default)]
struct Needs {
    no_plain: bool,
    no_single: bool,
    no_block: bool,
}

fn text(out: &mut String, value: &str, indent: usize, is_key: bool) {
    let needs = needs(value);
    let has_lines = value.contains('\n');
    if has_lines && !needs.no_block && !is_key {
        literal(out, value, indent);
    } else if has_lines || needs.no_single || !is_text(value) || is_old(value) {
        double(out, value);
    } else if needs.no_plain {
        let quoted = value.replace('\'', "''");
        write!(out, "'{quoted}'").expect("a String must take what is written");
    } else {
        out.push_str(value);
    }
}

fn needs(value: &str) -> Needs {
    let mut needs = Needs::default();
    let mut before = None;
    let mut letters = value.chars().peekable();
    needs.no_plain |= value.starts_with("---") || value.starts_with("...");
    while let Some(letter) = letters.next() {
        let is_last = letters.peek().is_none();
        let is_before_blank = letters.peek().is_none_or(|next| is_blank(*next));
        needs.no_plain |= match (before, letter) {
            (None, '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>') => true,
            (None, '\'' | '"' | '%' | '@' | '`') => true,
            (None, '?' | '-') | (_, ':') => is_before_blank,
            (Some(before), '#') => is_blank(before),
            _ => false,
        };
        if letter == '\t' {
            needs.no_single = true;
        } else if !is_printable(letter) {
            needs.no_single = true;
            needs.no_block = true;
        }
        if letter == ' ' {
            needs.no_plain |= before.is_none() || is_last;
            needs.no_block |= is_last;
            needs.no_single |= before.is_some_and(is_break);
        } else if is_break(letter) {
            needs.no_plain = true;
            let is_behind_space = before == Some(' ');
            needs.no_single |= is_behind_space;
            needs.no_block |= is_behind_space;
        }
        before = Some(letter);
    }
    needs
}

/// Writes a text in literal style, with unchanged lines.
fn literal(out: &mut String, value: &str, indent: usize) {
    out.push('|');
    if value.starts_with([' ', '\n']) {
        out.push('2');
    }
    let body = value.strip_suffix('\n');
    match body {
        None => out.push('-'),
        Some(body) if body.is_empty() || body.ends_with('\n') => out.push('+'),
        Some(_) => {}
    }
    // Go's library does not distinguish a line break at the start of the text from the line break
    // after `|`.
    let lines = body.unwrap_or(value);
    for line in lines.strip_prefix('\n').unwrap_or(lines).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.push_str(&" ".repeat(indent.max(2)));
            out.push_str(line);
        }
    }
    out.push('\n');
}

fn double(out: &mut String, value: &str) {
    out.push('"');
    for letter in value.chars() {
        let number = u32::from(letter);
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\0' => out.push_str("\\0"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{85}' => out.push_str("\\N"),
            '\u{a0}' => out.push_str("\\_"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            _ if is_printable(letter) => out.push(letter),
            _ if number <= 0xff => escape(out, format_args!("\\x{number:02X}")),
            _ if number <= 0xffff => escape(out, format_args!("\\u{number:04X}")),
            _ => escape(out, format_args!("\\U{number:08X}")),
        }
    }
    out.push('"');
}

fn escape(out: &mut String, escape: std::fmt::Arguments<'_>) {
    out.write_fmt(escape)
        .expect("a String must take what is written");
}

fn is_printable(letter: char) -> bool {
    matches!(letter, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}'
        | '\u{ff00}'..='\u{fffd}')
}

fn is_break(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t') || is_break(letter)
}

/// Returns true if YAML 1.1 reads the text as a boolean or as a number in base 60.
fn is_old(value: &str) -> bool {
    const BOOLS: &[&str] = &[
        "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off",
        "OFF",
    ];
    BOOLS.contains(&value) || is_base_sixty(value)
}

fn is_base_sixty(value: &str) -> bool {
    let unsigned = value.strip_prefix(['+', '-']).unwrap_or(value);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or_default();
    let are_digits = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'_')
    };
    let is_sixtieth = |part: &str| {
        let digits = part.as_bytes();
        matches!(digits, [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
    };
    let rest: Vec<&str> = parts.collect();
    first.starts_with(|digit: char| digit.is_ascii_digit())
        && are_digits(first)
        && !rest.is_empty()
        && rest.iter().all(|part| is_sixtieth(part))
        && are_digits(fraction)
}

/// Compares two keys. Numbers inside keys are compared by their value.
fn natural(first: &str, other: &str) -> Ordering {
    let (first, other): (Vec<char>, Vec<char>) = (first.chars().collect(), other.chars().collect());
    let mut is_behind_digits = false;
    for (at, (a, b)) in first.iter().zip(&other).enumerate() {
        if a == b {
            is_behind_digits = a.is_numeric();
            continue;
        }
        match (a.is_alphabetic(), b.is_alphabetic()) {
            (true, true) => return a.cmp(b),
            (true, false) if is_behind_digits => return Ordering::Less,
            (false, true) if is_behind_digits => return Ordering::Greater,
            (true, false) => return Ordering::Greater,
            (false, true) => return Ordering::Less,
            (false, false) => {}
        }
        let leading = (*a == '0' || *b == '0') && is_behind_nonzero(&first[..at]);
        let (a_number, a_end) = number_at(&first[at..], leading);
        let (b_number, b_end) = number_at(&other[at..], leading);
        return a_number
            .cmp(&b_number)
            .then(a_end.cmp(&b_end))
            .then(a.cmp(b));
    }
    first.len().cmp(&other.len())
}

fn is_behind_nonzero(before: &[char]) -> bool {
    let digits = before.iter().rev().take_while(|letter| letter.is_numeric());
    digits.into_iter().any(|digit| *digit != '0')
}

fn number_at(text: &[char], has_leading: bool) -> (u64, usize) {
    let digits = text.iter().take_while(|letter| letter.is_ascii_digit());
    let mut number = u64::from(has_leading);
    let mut count = 0;
    for digit in digits {
        let digit = digit.to_digit(10).unwrap_or(0);
        number = number.wrapping_mul(10).wrapping_add(digit.into());
        count += 1;
    }
    (number, count)
}
