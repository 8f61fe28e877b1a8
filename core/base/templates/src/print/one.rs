//! Formats one value with a verb of `printf`.

use super::scalar;
use crate::number::general;
use crate::quote::{code_point, quoted, quoted_char};
use crate::value::{Shape, Value};

/// The flags, the width and the precision of a verb, which are between `%` and its letter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags {
    pub(super) minus: bool,
    pub(super) plus: bool,
    pub(super) sharp: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
}

/// Formats a value that is not a list and not a map.
pub(super) fn one(value: &Value, verb: char, flags: Flags) -> Vec<u8> {
    let text = match &value.shape {
        Shape::Missing | Shape::Null => match verb {
            'v' => Some(padded("<nil>".into(), flags)),
            _ => return format!("%!{verb}(<nil>)").into_bytes(),
        },
        Shape::Bool(is) => {
            matches!(verb, 'v' | 't').then(|| padded(is.to_string().into_bytes(), flags))
        }
        Shape::Int(number) | Shape::Int64(number) => integer((*number).into(), verb, flags),
        Shape::Uint64(number) => integer((*number).into(), verb, flags),
        Shape::Byte(number) => integer((*number).into(), verb, flags),
        Shape::Float(number) => float(*number, verb, flags),
        Shape::Text(text) => characters(text, verb, flags),
        Shape::Version(_) | Shape::Time(_) => {
            let mut text = Vec::new();
            scalar(&mut text, value);
            characters(&text, verb, flags)
        }
        Shape::Empty => Some(b"{}".to_vec()),
        Shape::List(..) | Shape::Map(_) => unreachable!("lists and maps are walked"),
    };
    text.unwrap_or_else(|| {
        let mut out = format!("%!{verb}({}=", value.shape.type_name()).into_bytes();
        scalar(&mut out, value);
        out.push(b')');
        out
    })
}

fn integer(number: i128, verb: char, flags: Flags) -> Option<Vec<u8>> {
    let base = match verb {
        'd' | 'v' => 10,
        'b' => 2,
        'o' | 'O' => 8,
        'x' | 'X' => 16,
        'c' | 'q' | 'U' => return Some(character(number, verb, flags)),
        _ => return None,
    };
    let magnitude = number.unsigned_abs();
    let mut digits = match base {
        2 => format!("{magnitude:b}"),
        8 => format!("{magnitude:o}"),
        16 if verb == 'X' => format!("{magnitude:X}"),
        16 => format!("{magnitude:x}"),
        _ => magnitude.to_string(),
    };
    if flags.precision == Some(0) && number == 0 {
        return Some(padded(
            Vec::new(),
            Flags {
                zero: false,
                ..flags
            },
        ));
    }
    let prefix = match (verb, flags.sharp) {
        ('O', _) => "0o",
        ('b', true) => "0b",
        ('o', true) if !digits.starts_with('0') => "0",
        ('x', true) => "0x",
        ('X', true) => "0X",
        _ => "",
    };
    let sign = sign(number < 0, flags);
    let zeros = match (flags.precision, flags.width) {
        (Some(precision), _) => precision,
        (None, Some(width)) if flags.zero && !flags.minus => width.saturating_sub(sign.len()),
        (None, _) => 0,
    };
    digits = format!("{}{digits}", "0".repeat(zeros.saturating_sub(digits.len())));
    let text = format!("{sign}{prefix}{digits}").into_bytes();
    Some(padded(
        text,
        Flags {
            zero: false,
            ..flags
        },
    ))
}

fn character(number: i128, verb: char, flags: Flags) -> Vec<u8> {
    let letter = u32::try_from(number)
        .ok()
        .and_then(char::from_u32)
        .unwrap_or('\u{fffd}');
    let text = match verb {
        'c' => letter.to_string(),
        'q' => within_ascii(quoted_char(letter), flags),
        _ if flags.sharp => code_point(letter),
        _ => format!("U+{number:04X}"),
    };
    padded(text.into_bytes(), flags)
}

fn float(number: f64, verb: char, flags: Flags) -> Option<Vec<u8>> {
    let magnitude = number.abs();
    let precision = flags.precision.unwrap_or(6);
    let text = match verb {
        _ if number.is_nan() => "NaN".to_owned(),
        _ if number.is_infinite() => "Inf".to_owned(),
        'v' | 'g' | 'G' => match flags.precision {
            None => general(magnitude, 6),
            Some(precision) => significant(magnitude, precision.max(1)),
        },
        'f' | 'F' => format!("{magnitude:.precision$}"),
        'e' | 'E' => exponential(magnitude, precision),
        _ => return None,
    };
    let text = if matches!(verb, 'E' | 'G') {
        text.to_uppercase()
    } else {
        text
    };
    let is_negative = number.is_sign_negative() && !number.is_nan();
    let sign = if number.is_infinite() && !is_negative {
        "+"
    } else {
        sign(is_negative, flags)
    };
    if flags.zero && !flags.minus && number.is_finite() {
        let zeros = flags
            .width
            .unwrap_or(0)
            .saturating_sub(sign.len() + text.len());
        return Some(format!("{sign}{}{text}", "0".repeat(zeros)).into_bytes());
    }
    Some(padded(
        format!("{sign}{text}").into_bytes(),
        Flags {
            zero: false,
            ..flags
        },
    ))
}

/// Formats a number with an exponent, such as `1.5e+03`. `precision` is the number of digits after
/// the point.
fn exponential(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// Formats a number with at most `digits` digits, without zeros at the end.
fn significant(number: f64, digits: usize) -> String {
    let text = format!("{number:.*e}", digits - 1);
    let rounded: f64 = text.parse().unwrap_or(number);
    general(rounded, i32::try_from(digits.max(1)).unwrap_or(i32::MAX))
}

fn characters(text: &[u8], verb: char, flags: Flags) -> Option<Vec<u8>> {
    let cut = cut(text, flags.precision);
    match verb {
        's' | 'v' => Some(padded(cut.to_vec(), flags)),
        'q' => {
            let is_raw =
                flags.sharp && !cut.contains(&b'`') && !cut.iter().any(u8::is_ascii_control);
            let quoted = match std::str::from_utf8(cut) {
                Ok(text) if is_raw => format!("`{text}`"),
                _ => quoted(cut),
            };
            Some(padded(within_ascii(quoted, flags).into_bytes(), flags))
        }
        'x' | 'X' => {
            let bytes = &text[..text.len().min(flags.precision.unwrap_or(usize::MAX))];
            let between = if flags.space { " " } else { "" };
            let digits = bytes.iter().map(|byte| match verb {
                'x' => format!("{byte:02x}"),
                _ => format!("{byte:02X}"),
            });
            Some(padded(
                digits.collect::<Vec<_>>().join(between).into_bytes(),
                flags,
            ))
        }
        _ => None,
    }
}

/// Escapes the characters that are not ASCII, if the plus flag is set.
fn within_ascii(text: String, flags: Flags) -> String {
    if !flags.plus || text.is_ascii() {
        return text;
    }
    let mut out = String::new();
    for letter in text.chars() {
        match u32::from(letter) {
            0..0x80 => out.push(letter),
            code @ 0x80..0x1_0000 => out += &format!("\\u{code:04x}"),
            code => out += &format!("\\U{code:08x}"),
        }
    }
    out
}

/// Returns the first `count` characters. Without `count`, returns the whole text.
fn cut(text: &[u8], count: Option<usize>) -> &[u8] {
    let Some(count) = count else {
        return text;
    };
    let lengths = text.utf8_chunks().flat_map(|chunk| {
        let letters = chunk.valid().chars().map(char::len_utf8);
        letters.chain(chunk.invalid().iter().map(|_| 1))
    });
    let at = lengths.take(count).sum();
    &text[..at]
}

fn sign(is_negative: bool, flags: Flags) -> &'static str {
    if is_negative {
        "-"
    } else if flags.plus {
        "+"
    } else if flags.space {
        " "
    } else {
        ""
    }
}

pub(super) fn padded(text: Vec<u8>, flags: Flags) -> Vec<u8> {
    let characters = String::from_utf8_lossy(&text).chars().count();
    let missing = flags.width.unwrap_or(0).saturating_sub(characters);
    let with = if flags.zero && !flags.minus {
        b'0'
    } else {
        b' '
    };
    let padding = vec![with; missing];
    if flags.minus {
        [text, padding].concat()
    } else {
        [padding, text].concat()
    }
}
