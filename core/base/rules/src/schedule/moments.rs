//! The times that a line of a crontab names, on a clock that never jumps.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::{DateTime, date};
use thiserror::Error;

use crate::schedule::fields::{FieldFault, numbered};

/// The minutes that a line of a crontab names, in no time zone.
#[derive(Debug, Clone)]
pub struct Moments {
    /// As it is written.
    text: String,
    cron: Cron,
}

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MomentsFault {
    #[error(transparent)]
    Field(#[from] FieldFault),
    #[error("names a day that no year has; write one that its month has")]
    Never,
    /// It is refused for a reason that has no words of ours.
    #[error("cannot be read: {0}")]
    Other(String),
}

// === impl Moments ===

impl Moments {
    /// The longest line.
    pub const LONGEST: usize = 256;

    /// Reads `minute hour day month weekday`. Where both the day and the weekday are not `*`, one of
    /// them is enough, as in every crontab.
    ///
    /// # Errors
    /// It is none, or it never comes.
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
        // Every day of a leap year is in these.
        let first = moments.after(date(2000, 1, 1).at(0, 0, 0, 0));
        if first.is_none_or(|first| first.year() > 2008) {
            return Err(MomentsFault::Never);
        }
        Ok(moments)
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The first one after a time.
    pub(crate) fn after(&self, time: DateTime) -> Option<DateTime> {
        self.cron.find_next_occurrence(&time, false).ok()
    }

    /// The last one that is not after a time.
    pub(crate) fn up_to(&self, time: DateTime) -> Option<DateTime> {
        self.cron.find_previous_occurrence(&time, true).ok()
    }

    /// Whether both name the same minutes.
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
