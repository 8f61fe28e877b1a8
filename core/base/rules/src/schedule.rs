//! Schedules: time windows in a time zone. Crontab lines define when a window starts and ends.
//!
//! A window includes its start and excludes its end: `[start, end)`. It opens at a time that
//! matches the line `start`, and closes at the next later time that matches the line `end`. Windows
//! that overlap or touch are merged.
//!
//! Both lines are in local time. One rule covers clock changes: **a line matches when the clock
//! first shows its time or a later time.** So a window that should start in a skipped hour starts
//! at the clock change. In a repeated hour, only the first occurrence of a time counts.
//!
//! The crate has no clock: the caller passes the time to each function. The rules of all time zones
//! are part of the program, so the results are the same on every machine.
//!
//! ```
//! use portolan_core_rules::schedule::{Moments, Schedule, State, Zone};
//!
//! let weekends = Schedule::new(
//!     Moments::parse("1 0 * * 6")?,
//!     Moments::parse("59 23 * * 0")?,
//!     Zone::parse("Europe/Berlin")?,
//! )?;
//! let friday = "2026-11-27T12:00:00Z".parse().unwrap();
//! let opens = "2026-11-27T23:01:00Z".parse().ok();
//! assert_eq!(weekends.state(friday), State::Closed { opens });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fields;
mod moments;
mod pair;
mod windows;
mod zone;

pub use fields::FieldFault;
pub use moments::{Moments, MomentsFault};
pub use pair::{Same, Schedule};
pub use windows::{State, Window, overlaps, state, windows};
pub use zone::{UnknownZone, Zone};
