//! The time functions of OPA. They use the time that the caller passes instead of the clock.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::civil::{DateTime, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, Zoned};
use regorus::{Engine, Value};

use crate::schedule::Zone;

/// The result of a function.
type Outcome = Result<Value, String>;

/// A function with a fixed number of arguments.
type Function = fn(&[Value]) -> Outcome;

const FUNCTIONS: [(&str, u8, Function); 7] = [
    ("time.add_date", 4, add_date),
    ("time.clock", 1, clock),
    ("time.date", 1, day),
    ("time.format", 1, format),
    ("time.parse_duration_ns", 1, parse_duration),
    ("time.parse_rfc3339_ns", 1, parse_time),
    ("time.weekday", 1, weekday),
];

/// Adds the time functions to an engine. `asked` becomes true if a rule reads the time.
pub(crate) fn offer(engine: &mut Engine, at: Timestamp, asked: &Arc<AtomicBool>) {
    let asked = asked.clone();
    let now = move |_: Vec<Value>| {
        asked.store(true, Ordering::Relaxed);
        Ok(nanoseconds(at).unwrap_or(Value::Undefined))
    };
    let mut added = vec![engine.add_extension("time.now_ns".to_owned(), 0, Box::new(now))];
    for (name, arguments, function) in FUNCTIONS {
        // In OPA, the result of a failing function is undefined.
        let call = move |values: Vec<Value>| Ok(function(&values).unwrap_or(Value::Undefined));
        added.push(engine.add_extension(name.to_owned(), arguments, Box::new(call)));
    }
    debug_assert!(added.iter().all(Result::is_ok), "each name is added once");
}

fn nanoseconds(at: Timestamp) -> Outcome {
    let nanoseconds = i64::try_from(at.as_nanosecond());
    nanoseconds.map(Value::from).map_err(message)
}

/// Parses a time in OPA's format, which is `ns` for UTC or `[ns, zone]`.
fn zoned(value: &Value) -> Result<Zoned, String> {
    let Value::Array(parts) = value else {
        return Ok(timestamp(value)?.to_zoned(TimeZone::UTC));
    };
    let parts: Vec<_> = parts.iter().collect();
    let [at, zone] = parts[..] else {
        return Err("a time and a zone belong here".to_owned());
    };
    let zone = zone.as_string().map_err(message)?;
    let zone = match &**zone {
        "" => Zone::UTC,
        name => Zone::parse(name).map_err(message)?,
    };
    Ok(timestamp(at)?.to_zoned(zone.rules().clone()))
}

fn timestamp(value: &Value) -> Result<Timestamp, String> {
    let nanoseconds = value.as_i64().map_err(message)?;
    Timestamp::from_nanosecond(nanoseconds.into()).map_err(message)
}

fn weekday(values: &[Value]) -> Outcome {
    Ok(Value::from(zoned(&values[0])?.strftime("%A").to_string()))
}

fn day(values: &[Value]) -> Outcome {
    let at = zoned(&values[0])?;
    Ok(numbers([
        at.year().into(),
        at.month().into(),
        at.day().into(),
    ]))
}

fn clock(values: &[Value]) -> Outcome {
    let at = zoned(&values[0])?;
    Ok(numbers([
        at.hour().into(),
        at.minute().into(),
        at.second().into(),
    ]))
}

fn numbers(numbers: [i64; 3]) -> Value {
    Value::from(numbers.map(Value::from).to_vec())
}

/// Formats a time with nanoseconds, as Go does.
fn format(values: &[Value]) -> Outcome {
    let at = zoned(&values[0])?;
    let form = if at.offset().is_zero() {
        "%Y-%m-%dT%H:%M:%S%.fZ"
    } else {
        "%Y-%m-%dT%H:%M:%S%.f%:z"
    };
    Ok(Value::from(at.strftime(form).to_string()))
}

fn parse_time(values: &[Value]) -> Outcome {
    let text = values[0].as_string().map_err(message)?;
    nanoseconds(text.parse::<Timestamp>().map_err(message)?)
}

/// Adds years, months and days to a time. A day after the end of a month becomes a day of the next
/// month, as in Go.
fn add_date(values: &[Value]) -> Outcome {
    let at = timestamp(&values[0])?.to_zoned(TimeZone::UTC).datetime();
    let number = |at: usize| -> Result<i32, String> {
        let number = values[at].as_i64().map_err(message)?;
        i32::try_from(number).map_err(message)
    };
    let (years, months, days) = (number(1)?, number(2)?, number(3)?);
    let first: DateTime = date(at.year(), at.month(), 1).to_datetime(at.time());
    let years = Span::new().try_years(years).map_err(message)?;
    let months = Span::new().try_months(months).map_err(message)?;
    let later = first.checked_add(years).map_err(message)?;
    let later = later.checked_add(months).map_err(message)?;
    let days = i64::from(days) + i64::from(at.day()) - 1;
    let days = SignedDuration::try_from_hours(days * 24).ok_or("too many days")?;
    let later = later.checked_add(days).map_err(message)?;
    nanoseconds(later.to_zoned(TimeZone::UTC).map_err(message)?.timestamp())
}

/// Parses a duration in the format of Go, such as `1h30m`.
fn parse_duration(values: &[Value]) -> Outcome {
    const UNITS: [(&str, f64); 7] = [
        ("ns", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
        ("m", 60e9),
        ("h", 3600e9),
    ];
    let text = values[0].as_string().map_err(message)?;
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut sum = 0.0;
    while !rest.is_empty() {
        let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
        let (number, behind) = rest.split_at(rest.find(|c| !is_of_number(c)).ok_or("no unit")?);
        let (unit, behind) = behind.split_at(behind.find(is_of_number).unwrap_or(behind.len()));
        let unit = UNITS.iter().find(|(name, _)| *name == unit);
        let (_, nanoseconds) = unit.ok_or("an unknown unit")?;
        sum += number.parse::<f64>().map_err(message)? * nanoseconds;
        rest = behind;
    }
    let sum = SignedDuration::try_from_secs_f64(sign * sum / 1e9).map_err(message)?;
    i64::try_from(sum.as_nanos())
        .map(Value::from)
        .map_err(message)
}

fn message(error: impl Display) -> String {
    error.to_string()
}
