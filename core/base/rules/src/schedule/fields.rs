//! Parses the five fields of a crontab line, and checks their ranges.
//!
//! The parser converts all fields to numbers. It rejects the extensions of other cron programs
//! (seconds, years, `@daily`, `L`, `#`), because they differ between programs.

use thiserror::Error;

/// The error in an invalid field.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FieldFault {
    #[error("has {0} fields; a schedule has five: minute, hour, day of the month, month, weekday")]
    Count(usize),
    #[error("has an invalid {field}, {part:?}; write {}", way_out(*from, *to, names))]
    Part {
        field: &'static str,
        part: String,
        from: u8,
        to: u8,
        names: &'static [&'static str],
    },
    #[error(
        "has the {field} {part:?}, which is in the wrong order; write the lower value first, or \
         two ranges separated by a comma"
    )]
    Backwards { field: &'static str, part: String },
    #[error("has the {field} {part:?}, whose step is not a whole number from 1 to {most}")]
    Step {
        field: &'static str,
        part: String,
        most: u8,
    },
}

/// A field of a crontab line, with its permitted numbers.
struct Field {
    name: &'static str,
    from: u8,
    to: u8,
    /// The names that can be used instead of numbers. The first name stands for `from`.
    names: &'static [&'static str],
}

const MONTHS: &[&str] = &[
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
];
const WEEKDAYS: &[&str] = &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const FIELDS: [Field; 5] = [
    Field::new("minute", 0, 59, &[]),
    Field::new("hour", 0, 23, &[]),
    Field::new("day of the month", 1, 31, &[]),
    Field::new("month", 1, 12, MONTHS),
    // Both 0 and 7 are Sunday.
    Field::new("weekday", 0, 7, WEEKDAYS),
];

/// Parses a crontab line. Returns its five fields as numbers, separated by spaces.
///
/// # Errors
/// Returns the first error in the line.
pub(crate) fn numbered(line: &str) -> Result<String, FieldFault> {
    let fields: Vec<_> = line.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(FieldFault::Count(fields.len()));
    }
    let numbered = FIELDS
        .iter()
        .zip(fields)
        .map(|(field, text)| field.numbered(text));
    Ok(numbered.collect::<Result<Vec<_>, _>>()?.join(" "))
}

// === impl Field ===

impl Field {
    const fn new(name: &'static str, from: u8, to: u8, names: &'static [&'static str]) -> Self {
        Self {
            name,
            from,
            to,
            names,
        }
    }

    fn numbered(&self, text: &str) -> Result<String, FieldFault> {
        let parts = text.split(',').map(|part| self.part(part));
        Ok(parts.collect::<Result<Vec<_>, _>>()?.join(","))
    }

    /// Parses a part of a field: `*`, `5`, `1-5`, or `*` and `1-5` with a step.
    fn part(&self, part: &str) -> Result<String, FieldFault> {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(self.step(part, step)?)),
            None => (part, None),
        };
        let range = match range.split_once('-') {
            Some((first, last)) => self.range(part, first, last)?,
            None if range == "*" => "*".to_owned(),
            // Cron programs differ in the meaning of a step after a single number, so it is
            // rejected.
            None if step.is_some() => return Err(self.fault(part)),
            None => self.value(part, range)?.to_string(),
        };
        Ok(match step {
            Some(step) => format!("{range}/{step}"),
            None => range,
        })
    }

    fn range(&self, part: &str, first: &str, last: &str) -> Result<String, FieldFault> {
        let (first, last) = (self.value(part, first)?, self.value(part, last)?);
        // In the range from Saturday to Sunday, Sunday counts as 7. So this range is not backwards.
        let is_sunday = self.names.len() == WEEKDAYS.len() && last == 0;
        match if is_sunday && first > 0 {
            self.to
        } else {
            last
        } {
            last if first <= last => Ok(format!("{first}-{last}")),
            _ => Err(FieldFault::Backwards {
                field: self.name,
                part: part.to_owned(),
            }),
        }
    }

    fn step(&self, part: &str, step: &str) -> Result<u8, FieldFault> {
        let number = number(step).filter(|step| (1..=self.to).contains(step));
        number.ok_or_else(|| FieldFault::Step {
            field: self.name,
            part: part.to_owned(),
            most: self.to,
        })
    }

    fn value(&self, part: &str, text: &str) -> Result<u8, FieldFault> {
        let known = self
            .names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(text));
        let named = known.and_then(|at| u8::try_from(at).ok());
        let named = named.map(|at| at + self.from);
        let value = named.or_else(|| number(text));
        let value = value.filter(|value| (self.from..=self.to).contains(value));
        value.ok_or_else(|| self.fault(part))
    }

    fn fault(&self, part: &str) -> FieldFault {
        let Self {
            name,
            from,
            to,
            names,
        } = *self;
        FieldFault::Part {
            field: name,
            part: part.to_owned(),
            from,
            to,
            names,
        }
    }
}

/// Parses a number without a sign.
fn number(text: &str) -> Option<u8> {
    let is_number = text.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn way_out(from: u8, to: u8, names: &[&str]) -> String {
    let named = match names {
        [first, .., last] => format!(" (or {first} to {last})"),
        _ => String::new(),
    };
    format!(
        "*, a number from {from} to {to}{named}, a range such as {from}-{to}, or either */N or a range with a step"
    )
}
