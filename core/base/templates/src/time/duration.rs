//! Parses and formats durations as Go does, such as `1h30m`.

use std::fmt::Write as _;

use crate::quote::quoted;

/// The number of nanoseconds in a second.
pub(crate) const SECOND: i64 = 1_000_000_000;

const UNITS: &[(&str, i64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3600 * SECOND),
];

/// Parses a duration. Returns it in nanoseconds.
///
/// # Errors
/// Returns an error in the wording of Go if the duration is invalid.
pub(crate) fn duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", quoted(text.as_bytes()));
    let (is_negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total = 0i128;
    while !rest.is_empty() {
        let (whole, behind) = digits(rest);
        let (fraction, behind) = behind.strip_prefix('.').map_or(("", behind), digits);
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let ends_unit = |letter: char| letter == '.' || letter.is_ascii_digit();
        let end = behind.find(ends_unit).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(end);
        if unit.is_empty() {
            let text = quoted(text.as_bytes());
            return Err(format!("time: missing unit in duration {text}"));
        }
        let Some((_, unit)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            let (unit, text) = (quoted(unit.as_bytes()), quoted(text.as_bytes()));
            return Err(format!("time: unknown unit {unit} in duration {text}"));
        };
        total = added(total, whole, fraction, (*unit).into()).ok_or_else(invalid)?;
        rest = behind;
    }
    i64::try_from(if is_negative { -total } else { total }).map_err(|_| invalid())
}

/// Returns the digits at the start of a text, and the text after them.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

fn added(total: i128, whole: &str, fraction: &str, unit: i128) -> Option<i128> {
    let number = |digits: &str| match digits {
        "" => Some(0i128),
        digits => digits.parse().ok(),
    };
    // More than 18 digits would represent less than a nanosecond.
    let fraction = &fraction[..fraction.len().min(18)];
    let scale = 10i128.pow(u32::try_from(fraction.len()).ok()?);
    let part = number(fraction)?.checked_mul(unit)? / scale;
    let total = total
        .checked_add(number(whole)?.checked_mul(unit)?)?
        .checked_add(part)?;
    (total <= 1 << 63).then_some(total)
}

/// Formats a duration as Go does, such as `1h0m5s`. Ignores fractions of a second.
pub(crate) fn printed_duration(nanoseconds: i64) -> String {
    let seconds = (nanoseconds / SECOND).unsigned_abs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut out = String::from(if nanoseconds < 0 { "-" } else { "" });
    if hours > 0 {
        write!(out, "{hours}h").expect("a String must take what is written");
    }
    if hours > 0 || minutes > 0 {
        write!(out, "{minutes}m").expect("a String must take what is written");
    }
    write!(out, "{seconds}s").expect("a String must take what is written");
    out
}

/// Returns the duration in the largest unit that is shorter than the duration, without a fraction.
pub(crate) fn rounded_duration(nanoseconds: i64) -> String {
    const DAY: u64 = 24 * 3600;
    let nanoseconds = nanoseconds.unsigned_abs();
    let units = [
        (365 * DAY, "y"),
        (30 * DAY, "mo"),
        (DAY, "d"),
        (3600, "h"),
        (60, "m"),
        (1, "s"),
    ];
    for (seconds, name) in units {
        let unit = seconds * SECOND.unsigned_abs();
        if nanoseconds > unit {
            return format!("{}{name}", nanoseconds / unit);
        }
    }
    "0s".to_owned()
}
