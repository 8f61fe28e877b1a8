//! The times that a crontab line matches, on a clock without time zone.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::{DateTime, date};
use thiserror::Error;

use crate::schedule::fields::{FieldFault, numbered};

/// The minutes that a crontab line matches, without a time zone.
#[derive(Debug, Clone)]
pub struct Moments {
    /// The text of the line.
    text: String,
    cron: Cron,
}

/// The error in an invalid crontab line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MomentsFault {
    #[error(transparent)]
    Field(#[from] FieldFault),
    #[error("has a day that never exists; write a day that the month has")]
    Never,
    /// Another error. Contains the message of the cron parser.
    #[error("cannot be read: {0}")]
    Other(String),
}

// === impl Moments ===

impl Moments {
    /// The maximum length of a line in bytes.
    pub const LONGEST: usize = 256;

    /// Parses a line of the form `minute hour day month weekday`. If neither the day nor the
    /// weekday is `*`, a time must match only one of them, as in every cron program.
    ///
    /// # Errors
    /// Returns an error if the line is invalid, or if no time matches it.
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
        // A line that matches no time in these years never matches. They contain every day, also in
        // a leap year.
        let first = moments.after(date(2000, 1, 1).at(0, 0, 0, 0));
        if first.is_none_or(|first| first.year() > 2008) {
            return Err(MomentsFault::Never);
        }
        Ok(moments)
    }

    /// Returns the text of the line.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the first matching time after `time`.
    pub(crate) fn after(&self, time: DateTime) -> Option<DateTime> {
        self.cron.find_next_occurrence(&time, false).ok()
    }

    /// Returns the last matching time that is not after `time`.
    pub(crate) fn up_to(&self, time: DateTime) -> Option<DateTime> {
        self.cron.find_previous_occurrence(&time, true).ok()
    }

    /// Returns true if both lines match the same minutes.
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
