//! Determines the values of YAML scalars.

use std::borrow::Cow;

use granit_parser::Tag;
use serde_json::{Number, Value as Json};

use crate::number;
use crate::time;

/// Returns true if the value of an unquoted scalar is a text.
pub(in crate::document) fn is_text(text: &str) -> bool {
    resolved(text).is_string() && !is_time(text) && text != "<<"
}

pub(super) fn tagged(text: &str, tag: &Tag) -> Result<Json, String> {
    match tag.suffix() {
        "str" => Ok(Json::String(text.to_owned())),
        "bool" | "int" | "float" | "null" => Ok(resolved(text)),
        other => Err(format!("the tag {other} is not known here")),
    }
}

/// Returns the value of an unquoted scalar.
pub(super) fn resolved(text: &str) -> Json {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Json::Null,
        "true" | "True" | "TRUE" => return Json::Bool(true),
        "false" | "False" | "FALSE" => return Json::Bool(false),
        _ => {}
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) {
        return Json::String(text.to_owned());
    }
    if is_time(text) {
        return Json::String(as_time(text).unwrap_or_default());
    }
    let digits: Cow<'_, str> = text.replace('_', "").into();
    if let Some(whole) = number::whole(&digits).filter(|_| !text.starts_with('.')) {
        return whole.into();
    }
    if let Ok(whole) = digits.parse::<u64>() {
        return whole.into();
    }
    if !is_float(&digits) {
        return Json::String(text.to_owned());
    }
    let number = digits.parse().ok().and_then(Number::from_f64);
    number.map_or_else(|| Json::String(text.to_owned()), Json::Number)
}

/// Returns true for numbers such as `1.5`, `.5` and `1.`, with or without an exponent.
fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = exponent.map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
    are_digits(whole)
        && are_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|digits| !digits.is_empty() && are_digits(digits))
}

const TIMES: &[&str] = &[
    "2006-1-2T15:4:5Z07:00",
    "2006-1-2t15:4:5Z07:00",
    "2006-1-2 15:4:5",
    "2006-1-2",
];

fn is_time(text: &str) -> bool {
    let is_year = text.len() > 5
        && text.as_bytes()[..4].iter().all(u8::is_ascii_digit)
        && text.as_bytes()[4] == b'-';
    is_year && as_time(text).is_some()
}

fn as_time(text: &str) -> Option<String> {
    let seconds = TIMES
        .iter()
        .find_map(|layout| time::parsed(layout, text).ok())?;
    Some(time::formatted("2006-01-02T15:04:05Z07:00", seconds))
}
