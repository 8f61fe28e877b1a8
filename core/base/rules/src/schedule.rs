//! Schedules: windows of time that begin and end as the lines of a crontab say, in a time zone.
//!
//! A window has its first instant and not its last: `[start, end)`. It lasts from a time that `start`
//! names to the next time after it that `end` names; windows that overlap or touch are one.
//!
//! Both lines are about the clock on the wall. Where that jumps, one rule says what it means: **a time
//! counts as soon as the clock shows it or a later one for the first time.** So what an hour that is
//! skipped would have begun begins when the clock jumps over it, and of an hour that comes twice the
//! first one counts.
//!
//! The crate has no clock: each question has its time. The rules of all time zones are built in, so that
//! the same question has the same answer on every machine.
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
pub use windows::{State, Window, state, windows};
pub use zone::{UnknownZone, Zone};
