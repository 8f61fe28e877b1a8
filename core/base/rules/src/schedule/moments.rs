//! The times of a crontab line, on a clock without jumps.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::{DateTime, date};
use thiserror::Error;

use crate::schedule::fields::{FieldFault, numbered};

/// The minutes of a crontab line, without a time zone.
#[derive(Debug, Clone)]
pub struct Moments {
    /// The original text.
    text: String,
    cron: Cron,
}

/// An invalid crontab line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MomentsFault {
    #[error(transparent)]
    Field(#[from] FieldFault),
    #[error("has a day that never exists; write a day that the month has")]
    Never,
    /// The parser rejects it for another reason.
    #[error("cannot be read: {0}")]
    Other(String),
}

// === impl Moments ===

impl Moments {
    /// The maximum length of a line.
    pub const LONGEST: usize = 256;

    /// Parses `minute hour day month weekday`. If neither the day nor the weekday is `*`, matching
    /// either is enough, like in every crontab.
    ///
    /// # Errors
    /// Returns an error if the line is invalid, or no time matches it.
    pub fn parse(text: &str) -> Result<Self, MomentsFault> {
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let cron = parser.parse(&numbered(text)?);
        let cron = cron.map_err(|error| MomentsFault::Other(error.to_string()))?;
        let moments = Self {
            text: text.to_owned(),
            cron,
        };
        // These years contain every day of a leap year.
        let first = moments.after(date(2000, 1, 1).at(0, 0, 0, 0));
        if first.is_none_or(|first| first.year() > 2008) {
            return Err(MomentsFault::Never);
        }
        Ok(moments)
    }

    /// Returns the original text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the first match after a time.
    pub(crate) fn after(&self, time: DateTime) -> Option<DateTime> {
        self.cron.find_next_occurrence(&time, false).ok()
    }

    /// Returns the last match at or before a time.
    pub(crate) fn up_to(&self, time: DateTime) -> Option<DateTime> {
        self.cron.find_previous_occurrence(&time, true).ok()
    }

    /// Returns true if both match the same minutes.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.cron.pattern == other.cron.pattern
    }
}

impl PartialEq for Moments {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Moments {}
