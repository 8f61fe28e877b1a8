//! Formats and parses times with layouts of Go.

mod duration;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

pub(crate) use duration::{SECOND, duration, printed_duration, rounded_duration};

/// The elements of a layout. They are taken from Go's reference time,
/// `Mon Jan 2 15:04:05 MST 2006`.
const PARTS: &[&str] = &[
    "January", "Jan", "Monday", "Mon", "MST", "2006", "Z07:00", "-07:00", "-0700", "Z0700", "002",
    "01", "02", "03", "04", "05", "06", "_2", "15", "PM", "pm", "-07", "1", "2", "3", "4", "5",
];
const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: &[&str] = &[
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// Formats a time in Go's default layout.
pub(crate) fn printed(seconds: i64) -> String {
    formatted("2006-01-02 15:04:05 -0700 MST", seconds)
}

/// Formats a time in UTC with a layout. UTC is the local time of Open Cluster Management's
/// controller.
pub(crate) fn formatted(layout: &str, seconds: i64) -> String {
    formatted_in(layout, seconds, "UTC")
}

/// Formats a time in a time zone with a layout. An unknown time zone means UTC.
pub(crate) fn formatted_in(layout: &str, seconds: i64, zone: &str) -> String {
    let Some(time) = local(seconds, zone) else {
        return String::new();
    };
    let mut out = String::new();
    for piece in pieces(layout) {
        match piece {
            Piece::Text(text) => out += text,
            Piece::Part(part) => out += &shown(part, &time),
        }
    }
    out
}

/// Parses a time with a layout.
///
/// # Errors
///
/// Returns an error with the text that does not match, in the wording of Go.
pub(crate) fn parsed(layout: &str, text: &str) -> Result<i64, String> {
    let fail = |part: &str, rest: &str| {
        Err(format!(
            "parsing time {text:?} as {layout:?}: cannot parse {rest:?} as {part:?}"
        ))
    };
    let mut rest = text;
    let mut read = Read {
        year: 0,
        month: 1,
        day: 1,
        hour: 0,
        minute: 0,
        second: 0,
        is_afternoon: false,
        offset: 0,
    };
    for piece in pieces(layout) {
        let (part, left) = match piece {
            Piece::Text(expected) => (expected, rest.strip_prefix(expected)),
            Piece::Part(part) => (part, read.part(part, rest)),
        };
        match left {
            Some(left) => rest = left,
            None => return fail(part, rest),
        }
    }
    if !rest.is_empty() {
        return Err(format!("parsing time {text:?}: extra text: {rest:?}"));
    }
    read.seconds()
        .ok_or_else(|| format!("parsing time {text:?}: day out of range"))
}

enum Piece<'a> {
    Text(&'a str),
    Part(&'static str),
}

fn pieces(layout: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = layout;
    while let Some(next) = rest.chars().next() {
        let part = PARTS.iter().find(|part| rest.starts_with(**part));
        let length = part.map_or(next.len_utf8(), |part| part.len());
        pieces.push(match part {
            Some(part) => Piece::Part(part),
            None => Piece::Text(&rest[..length]),
        });
        rest = &rest[length..];
    }
    pieces
}

/// Returns the local time in a time zone.
struct Local {
    time: DateTime,
    zone: String,
    /// The offset from UTC in minutes. Positive numbers are east of UTC.
    offset: i32,
}

fn local(seconds: i64, zone: &str) -> Option<Local> {
    let time = Timestamp::from_second(seconds).ok()?;
    let zone = TimeZone::get(zone)
        .ok()
        .filter(|it| it.iana_name() == Some(zone));
    let zone = zone.unwrap_or(TimeZone::UTC);
    let info = zone.to_offset_info(time);
    Some(Local {
        time: info.offset().to_datetime(time),
        zone: info.abbreviation().to_owned(),
        offset: info.offset().seconds() / 60,
    })
}

fn name(names: &'static [&'static str], number: i8) -> &'static str {
    let index = usize::try_from(number - 1).unwrap_or_default();
    names.get(index).copied().unwrap_or_default()
}

fn shown(part: &str, local: &Local) -> String {
    let Local { time, zone, offset } = local;
    let hour = match time.hour() % 12 {
        0 => 12,
        hour => hour,
    };
    let month = name(MONTHS, time.month());
    let day = name(DAYS, time.weekday().to_monday_one_offset());
    match part {
        "January" => month.to_owned(),
        "Jan" => month[..3].to_owned(),
        "Monday" => day.to_owned(),
        "Mon" => day[..3].to_owned(),
        "MST" => zone.clone(),
        "2006" => format!("{:04}", time.year()),
        "06" => format!("{:02}", time.year() % 100),
        "Z07:00" | "Z0700" if *offset == 0 => "Z".to_owned(),
        "Z07:00" | "-07:00" => shown_offset(*offset, ":"),
        "Z0700" | "-0700" => shown_offset(*offset, ""),
        "-07" => shown_offset(*offset, "")[..3].to_owned(),
        "002" => format!("{:03}", time.day_of_year()),
        "01" => format!("{:02}", time.month()),
        "1" => time.month().to_string(),
        "02" => format!("{:02}", time.day()),
        "_2" => format!("{:2}", time.day()),
        "2" => time.day().to_string(),
        "15" => format!("{:02}", time.hour()),
        "03" => format!("{hour:02}"),
        "3" => hour.to_string(),
        "04" => format!("{:02}", time.minute()),
        "4" => time.minute().to_string(),
        "05" => format!("{:02}", time.second()),
        "5" => time.second().to_string(),
        "PM" => if time.hour() < 12 { "AM" } else { "PM" }.to_owned(),
        _ => if time.hour() < 12 { "am" } else { "pm" }.to_owned(),
    }
}

fn shown_offset(minutes: i32, between: &str) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    format!("{sign}{:02}{between}{:02}", minutes / 60, minutes % 60)
}

/// The elements of a time that were parsed so far.
struct Read {
    year: i16,
    month: i8,
    day: i8,
    hour: i8,
    minute: i8,
    second: i8,
    is_afternoon: bool,
    offset: i32,
}

// === impl Read ===

impl Read {
    /// Parses one element of a layout. Returns the text after it.
    fn part<'a>(&mut self, part: &str, text: &'a str) -> Option<&'a str> {
        match part {
            "2006" => set(&mut self.year, text, 4, 4),
            "06" => {
                let rest = set(&mut self.year, text, 2, 2)?;
                self.year += if self.year >= 69 { 1900 } else { 2000 };
                Some(rest)
            }
            "January" => named(&mut self.month, MONTHS, text, usize::MAX),
            "Jan" => named(&mut self.month, MONTHS, text, 3),
            "Monday" => named(&mut 0, DAYS, text, usize::MAX),
            "Mon" => named(&mut 0, DAYS, text, 3),
            "01" => set(&mut self.month, text, 2, 2),
            "1" => set(&mut self.month, text, 1, 2),
            "02" => set(&mut self.day, text, 2, 2),
            "_2" => set(&mut self.day, text.strip_prefix(' ').unwrap_or(text), 1, 2),
            "2" => set(&mut self.day, text, 1, 2),
            "15" | "03" => set(&mut self.hour, text, 2, 2),
            "3" => set(&mut self.hour, text, 1, 2),
            "04" => set(&mut self.minute, text, 2, 2),
            "4" => set(&mut self.minute, text, 1, 2),
            "05" => set(&mut self.second, text, 2, 2),
            "5" => set(&mut self.second, text, 1, 2),
            "PM" | "pm" => {
                let (afternoon, morning) = if part == "PM" {
                    ("PM", "AM")
                } else {
                    ("pm", "am")
                };
                self.is_afternoon = text.starts_with(afternoon);
                text.strip_prefix(afternoon)
                    .or_else(|| text.strip_prefix(morning))
            }
            "MST" => text
                .strip_prefix("UTC")
                .or_else(|| text.strip_prefix("GMT")),
            "Z07:00" | "Z0700" if text.starts_with('Z') => text.strip_prefix('Z'),
            "Z07:00" | "-07:00" => self.offset(text, true),
            "Z0700" | "-0700" => self.offset(text, false),
            _ => None,
        }
    }

    fn offset<'a>(&mut self, text: &'a str, has_colon: bool) -> Option<&'a str> {
        let sign = match text.as_bytes().first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let (mut hours, mut minutes) = (0i8, 0i8);
        let rest = set(&mut hours, &text[1..], 2, 2)?;
        let rest = if has_colon {
            rest.strip_prefix(':')?
        } else {
            rest
        };
        let rest = set(&mut minutes, rest, 2, 2)?;
        self.offset = sign * (i32::from(hours) * 3600 + i32::from(minutes) * 60);
        Some(rest)
    }

    fn seconds(&self) -> Option<i64> {
        let hour = match (self.hour, self.is_afternoon) {
            (12, true) => 12,
            (hour, true) if hour < 12 => hour + 12,
            (hour, _) => hour,
        };
        let time = DateTime::new(
            self.year,
            self.month,
            self.day,
            hour,
            self.minute,
            self.second,
            0,
        )
        .ok()?;
        let offset = Offset::from_seconds(self.offset).ok()?;
        Some(offset.to_timestamp(time).ok()?.as_second())
    }
}

/// Parses a number with `least` to `most` digits. Returns the text after it.
fn set<'a, N: std::str::FromStr>(
    into: &mut N,
    text: &'a str,
    least: usize,
    most: usize,
) -> Option<&'a str> {
    let digits = text
        .bytes()
        .take(most)
        .take_while(u8::is_ascii_digit)
        .count();
    if digits < least {
        return None;
    }
    *into = text[..digits].parse().ok()?;
    Some(&text[digits..])
}

fn named<'a>(into: &mut i8, names: &[&str], text: &'a str, length: usize) -> Option<&'a str> {
    let cut = |name: &str| name.len().min(length);
    let found = names.iter().position(|name| {
        text.get(..cut(name))
            .is_some_and(|start| start.eq_ignore_ascii_case(&name[..cut(name)]))
    })?;
    *into = i8::try_from(found + 1).ok()?;
    text.get(cut(names[found])..)
}
