//! The union of several schedules.

use jiff::Timestamp;

use crate::schedule::Schedule;
use crate::schedule::pair::Span;

/// The state of schedules, and the time of the next change. Without a time, there is no next
/// change, or if it is too far in the future. A window that consists of very many parts may stay
/// open longer than reported. It is then still open at the reported time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Open { closes: Option<Timestamp> },
    Closed { opens: Option<Timestamp> },
}

/// A time span without interruption: `[opens, closes)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub opens: Timestamp,
    /// The end of the window. None if the window never ends, or ends too far in the future.
    pub closes: Option<Timestamp>,
    /// True if a clock change moves its start or end. A skipped time counts at the moment of the
    /// jump, and a repeated time counts when it first occurs.
    pub is_shifted: bool,
}

/// The maximum number of adjacent windows that are joined. To get later windows, callers ask again
/// when these are over.
const MOST_JOINED: usize = 1000;

/// Returns the state of the union at a time, and the time of the next change.
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

/// Returns the windows from a given time. The first window may already be open. A window that
/// consists of very many parts is returned as several adjacent windows.
pub fn windows(schedules: &[Schedule], from: Timestamp) -> impl Iterator<Item = Window> {
    let first = open(schedules, from).or_else(|| next(schedules, from));
    std::iter::successors(first, |window| {
        let opens = window.closes?;
        let goes_on = open(schedules, opens).map(|part| Window { opens, ..part });
        goes_on.or_else(|| next(schedules, opens))
    })
}

/// Returns the window that is open at a time.
fn open(schedules: &[Schedule], at: Timestamp) -> Option<Window> {
    let opened = schedules.iter().filter_map(|schedule| schedule.open(at));
    let first = opened.min_by_key(|span| span.opens)?;
    Some(joined(schedules, first, at))
}

/// Returns the first window that opens after a time, if none is open at that time.
fn next(schedules: &[Schedule], after: Timestamp) -> Option<Window> {
    let spans = schedules.iter().filter_map(|schedule| schedule.next(after));
    let first = spans.min_by_key(|span| span.opens)?;
    Some(joined(schedules, first, first.opens))
}

/// Returns the window that begins with a span, including all windows that overlap or touch it.
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
