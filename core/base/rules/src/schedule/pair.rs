//! A schedule: the start, the end and the time zone of its windows.

use jiff::Timestamp;
use jiff::civil::DateTime;
use thiserror::Error;

use crate::schedule::windows::{State, state};
use crate::schedule::{Moments, Zone};

/// A schedule. A window opens at each `start`, and closes at the next `end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    start: Moments,
    end: Moments,
    zone: Zone,
}

/// Start and end match the same times, so no window would ever close.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "has the same times as the start, so each window would end when the next begins; write \
     another end, or omit the schedule to allow all times"
)]
pub struct Same;

/// One window of a schedule. Its start is in local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) opens: Timestamp,
    /// The time at which the window closes. None if it is too far in the future.
    pub(crate) closes: Option<Timestamp>,
    /// True if a clock change skips or repeats the start or the end.
    pub(crate) is_shifted: bool,
}

/// The maximum number of consecutive windows that clock changes may skip completely.
const MOST_SKIPPED: usize = 64;

// === impl Schedule ===

impl Schedule {
    /// Creates a schedule. A window opens at each `start`, and closes at the next `end`.
    ///
    /// # Errors
    /// Returns an error if no window would ever close.
    pub fn new(start: Moments, end: Moments, zone: Zone) -> Result<Self, Same> {
        if start.is_same(&end) {
            return Err(Same);
        }
        Ok(Self { start, end, zone })
    }

    pub fn start(&self) -> &Moments {
        &self.start
    }

    pub fn end(&self) -> &Moments {
        &self.end
    }

    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Returns whether a window is open at a time, and the time of the next change.
    pub fn state(&self, at: Timestamp) -> State {
        state(std::slice::from_ref(self), at)
    }

    /// Returns the window that is open at a time. Returns None if no window is open.
    pub(crate) fn open(&self, at: Timestamp) -> Option<Span> {
        let start = self.start.up_to(self.zone.reached(at))?;
        let span = self.span(start)?;
        let is_over = span.closes.is_some_and(|closes| closes <= at);
        (!is_over).then_some(span)
    }

    /// Returns the first window that opens after a time.
    pub(crate) fn next(&self, after: Timestamp) -> Option<Span> {
        let mut time = self.zone.reached(after);
        for _ in 0..MOST_SKIPPED {
            time = self.start.after(time)?;
            let span = self.span(time)?;
            // A clock change can skip a whole window. Such a window does not exist.
            if span.closes != Some(span.opens) {
                return Some(span);
            }
        }
        None
    }

    fn span(&self, start: DateTime) -> Option<Span> {
        let end = self.end.after(start);
        let moves = |time| self.zone.skips(time) || self.zone.repeats(time);
        Some(Span {
            opens: self.zone.instant(start)?,
            closes: end.and_then(|end| self.zone.instant(end)),
            is_shifted: moves(start) || end.is_some_and(moves),
        })
    }
}
