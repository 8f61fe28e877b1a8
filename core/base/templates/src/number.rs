//! Parses and formats numbers as Go does.

use crate::quote::unquoted_char;
use crate::tree::Number;

/// Parses a number or a character in a template.
///
/// # Errors
/// Returns the error message of Go.
pub(crate) fn constant(text: &str, is_char: bool) -> Result<Number, String> {
    if is_char {
        let letter = unquoted_char(text)?;
        return Ok(Number {
            text: text.to_owned(),
            whole: Some(letter),
            float: Some(to_float(letter)),
        });
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    let has_whole = whole(text).is_some();
    let has_unsigned = !text.starts_with('-') && magnitude(unsigned).is_some();
    let as_float = float(text);
    if !has_whole
        && as_float.is_some()
        && !text.contains(['.', 'e', 'E', 'p', 'P'])
        && !has_unsigned
    {
        return Err(format!("integer overflow: {text:?}"));
    }
    let of_float = as_float
        .filter(|number| number.abs() < 9e18)
        .and_then(|number| {
            let whole = to_whole(number);
            (!has_whole && to_float(whole).to_bits() == number.to_bits()).then_some(whole)
        });
    let number = Number {
        text: text.to_owned(),
        whole: whole(text).or(of_float),
        float: whole(text).map(to_float).or(as_float),
    };
    if number.whole.is_none() && number.float.is_none() {
        return Err(format!("illegal number syntax: {text:?}"));
    }
    Ok(number)
}

/// Parses an integer in base 10, or in another base with a prefix, as Go's `strconv.ParseInt` with
/// base 0.
pub(crate) fn whole(text: &str) -> Option<i64> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = i128::from(magnitude(digits)?);
    i64::try_from(if is_negative { -magnitude } else { magnitude }).ok()
}

/// Parses an integer without a sign.
fn magnitude(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let (base, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', b'o', ..] => (8, &lower[2..]),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, &lower[..]),
    };
    if has_loose_underscore(digits, digits.len() == lower.len()) {
        return None;
    }
    let digits = digits.replace('_', "");
    if digits.is_empty() || digits.starts_with(['+', '-']) {
        return None;
    }
    u64::from_str_radix(&digits, base).ok()
}

/// Returns true if an underscore is at an invalid position. Underscores are valid between digits,
/// and after a prefix.
fn has_loose_underscore(digits: &str, is_bare: bool) -> bool {
    digits.ends_with('_') || digits.contains("__") || is_bare && digits.starts_with('_')
}

/// Parses a number that may have a fraction, as Go's `strconv.ParseFloat`.
pub(crate) fn float(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let unsigned = lower.trim_start_matches(['+', '-']);
    if let Some(digits) = unsigned.strip_prefix("0x") {
        let number = hexadecimal(digits)?;
        return Some(if lower.starts_with('-') {
            -number
        } else {
            number
        });
    }
    let has_good_start = unsigned.starts_with(|first: char| first == '.' || first.is_ascii_digit());
    if !has_good_start || lower.len() > unsigned.len() + 1 {
        return None;
    }
    // Go accepts underscores only in numbers with a prefix, and decimal fractions have no prefix.
    lower.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Parses a hexadecimal number with an exponent, such as `1.8p3`, without its prefix.
fn hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let value = u64::from_str_radix(&digits, 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?.checked_mul(4)?)?;
    let number = to_float(i64::try_from(value).ok()?) * 2f64.powi(shift);
    number.is_finite().then_some(number)
}

#[expect(clippy::cast_precision_loss, reason = "Go's conversion loses the same")]
pub(crate) fn to_float(number: i64) -> f64 {
    number as f64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "cut towards nothing, as conversions of Go are"
)]
pub(crate) fn to_whole(number: f64) -> i64 {
    number as i64
}

/// Formats a number with as few digits as possible, as Go's `%v` does. Numbers below 1e-4 and
/// numbers from one million on have an exponent.
pub(crate) fn shortest(number: f64) -> String {
    general(number, 6)
}

/// Formats a number as Go's `strconv.FormatFloat` with `g`. Numbers from this power of ten on have
/// an exponent.
pub(crate) fn general(number: f64, exponents_from: i32) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific
        .split_once('e')
        .expect("a finite float must print with an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent must be a number");
    if exponent < -4 || exponent >= exponents_from {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
    } else {
        format!("{number}")
    }
}
