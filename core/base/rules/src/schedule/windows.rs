//! Several schedules together: whatever one of them opens is open.

use jiff::Timestamp;

use crate::schedule::Schedule;
use crate::schedule::pair::Span;

/// Whether it is open, and until when that stays so; None if that is for good, or too far away. What is
/// made of very many windows may stay open for longer than is told: then it is open at that time, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Open { closes: Option<Timestamp> },
    Closed { opens: Option<Timestamp> },
}

/// A time in which it is open without a break: `[opens, closes)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub opens: Timestamp,
    /// None if that is never, or too far away.
    pub closes: Option<Timestamp>,
    /// Whether a clock that jumps moves one of its ends: a time that is skipped counts when the clock
    /// jumps over it, and of a time that comes twice the first one counts.
    pub is_shifted: bool,
}

/// The number of windows that touch each other and are looked at together. Whoever asks again when these
/// are over learns what comes then.
const MOST_JOINED: usize = 1000;

/// Whether one of the schedules is open at a time, and until when that stays so.
pub fn state(schedules: &[Schedule], at: Timestamp) -> State {
    match open(schedules, at) {
        Some(window) => State::Open {
            closes: window.closes,
        },
        None => State::Closed {
            opens: next(schedules, at).map(|window| window.opens),
        },
    }
}

/// The windows from a time on, the first one perhaps open already. One that is made of very many comes in
/// parts that touch each other.
pub fn windows(schedules: &[Schedule], from: Timestamp) -> impl Iterator<Item = Window> {
    let first = open(schedules, from).or_else(|| next(schedules, from));
    std::iter::successors(first, |window| {
        let opens = window.closes?;
        let goes_on = open(schedules, opens).map(|part| Window { opens, ..part });
        goes_on.or_else(|| next(schedules, opens))
    })
}

/// The window that is open at a time.
fn open(schedules: &[Schedule], at: Timestamp) -> Option<Window> {
    let opened = schedules.iter().filter_map(|schedule| schedule.open(at));
    let first = opened.min_by_key(|span| span.opens)?;
    Some(joined(schedules, first, at))
}

/// The first window that opens after a time at which none is open.
fn next(schedules: &[Schedule], after: Timestamp) -> Option<Window> {
    let spans = schedules.iter().filter_map(|schedule| schedule.next(after));
    let first = spans.min_by_key(|span| span.opens)?;
    Some(joined(schedules, first, first.opens))
}

/// The window that begins with a span, with all that overlaps or touches it.
fn joined(schedules: &[Schedule], first: Span, at: Timestamp) -> Window {
    let window = |closes, is_shifted| Window {
        opens: first.opens,
        closes,
        is_shifted,
    };
    let (mut end, mut is_shifted) = (at, first.is_shifted);
    for _ in 0..MOST_JOINED {
        let spans = schedules.iter().filter_map(|schedule| schedule.open(end));
        let Some(longest) = spans.max_by_key(|span| span.closes.unwrap_or(Timestamp::MAX)) else {
            return window(Some(end), is_shifted);
        };
        is_shifted |= longest.is_shifted;
        let Some(closes) = longest.closes else {
            return window(None, is_shifted);
        };
        end = closes;
    }
    window(Some(end), is_shifted)
}
