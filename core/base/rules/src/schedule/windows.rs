//! Combines several schedules.

use jiff::Timestamp;

use crate::schedule::Schedule;
use crate::schedule::pair::Span;

/// The state of schedules: open or closed, with the time of the next change. The time is
/// missing if there is no next change, or if it is too far in the future.
///
/// A window that consists of very many parts may stay open longer than reported. In this case, it
/// is still open at the reported time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Open { closes: Option<Timestamp> },
    Closed { opens: Option<Timestamp> },
}

/// A time span in which schedules are open without interruption: `[opens, closes)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub opens: Timestamp,
    /// The end of the window. None if the window never ends, or ends too far in the future.
    pub closes: Option<Timestamp>,
    /// True if a clock change moves the start or the end. A skipped time counts at the moment of
    /// the clock change. A repeated time counts when the clock first shows it.
    pub is_shifted: bool,
}

/// The maximum number of adjacent windows that are joined to one window. Callers can request the
/// next windows at its end.
const MOST_JOINED: usize = 1000;

/// The maximum number of times at which the search for an overlap checks the schedules.
const MOST_SEARCHED: usize = 2000;

/// Returns whether at least one schedule is open at a time, and the time of the next change.
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

/// Returns the windows in which at least one schedule is open, from a time on. The first window may
/// have opened earlier. A window that consists of very many parts is returned as several adjacent
/// windows.
pub fn windows(schedules: &[Schedule], from: Timestamp) -> impl Iterator<Item = Window> {
    let first = open(schedules, from).or_else(|| next(schedules, from));
    std::iter::successors(first, |window| {
        let opens = window.closes?;
        let goes_on = open(schedules, opens).map(|part| Window { opens, ..part });
        goes_on.or_else(|| next(schedules, opens))
    })
}

/// Returns the time spans in which all unions are open. A union is open if at least one of its
/// schedules is open.
///
/// The spans start at `from` or later, and before `until`, but may end after `until`. If all unions
/// are open at `from`, the first span starts at `from`. A span without an end never ends, or ends
/// too far in the future. If windows open very often without an overlap, the search ends early.
pub fn overlaps<'a>(
    unions: &'a [&'a [Schedule]],
    (from, until): (Timestamp, Timestamp),
) -> impl Iterator<Item = (Timestamp, Option<Timestamp>)> + 'a {
    let mut next = Some(from);
    std::iter::from_fn(move || {
        for _ in 0..MOST_SEARCHED {
            let at = next.filter(|at| *at < until)?;
            match overlap(unions, at) {
                State::Open { closes } => {
                    next = closes;
                    return Some((at, closes));
                }
                State::Closed { opens } => next = opens,
            }
        }
        None
    })
}

/// Returns whether all unions are open at a time, and the time of the next change. If they are not
/// all open, they may still not all be open at the returned time.
fn overlap(unions: &[&[Schedule]], at: Timestamp) -> State {
    let mut first_close = None;
    let mut last_open = at;
    for schedules in unions {
        match state(schedules, at) {
            State::Open { closes: None } => {}
            State::Open {
                closes: Some(closes),
            } => first_close = Some(first_close.map_or(closes, |it: Timestamp| it.min(closes))),
            State::Closed { opens: None } => return State::Closed { opens: None },
            State::Closed { opens: Some(opens) } => last_open = last_open.max(opens),
        }
    }
    if last_open > at {
        State::Closed {
            opens: Some(last_open),
        }
    } else {
        State::Open {
            closes: first_close,
        }
    }
}

/// Returns the window that is open at a time.
fn open(schedules: &[Schedule], at: Timestamp) -> Option<Window> {
    let opened = schedules.iter().filter_map(|schedule| schedule.open(at));
    let first = opened.min_by_key(|span| span.opens)?;
    Some(joined(schedules, first, at))
}

/// Returns the first window that opens after a time. No window may be open at this time.
fn next(schedules: &[Schedule], after: Timestamp) -> Option<Window> {
    let spans = schedules.iter().filter_map(|schedule| schedule.next(after));
    let first = spans.min_by_key(|span| span.opens)?;
    Some(joined(schedules, first, first.opens))
}

/// Returns the window that starts with this span. It includes all windows that overlap or touch it.
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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::schedule::{Moments, Zone};

    fn schedules(text: &str) -> Vec<Schedule> {
        let each = text.split(';').map(|text| {
            let (start, end) = text.split_once('/').expect("a start and an end");
            let [start, end] = [start, end].map(|it| Moments::parse(it).expect("moments"));
            Schedule::new(start, end, Zone::UTC).expect("a schedule")
        });
        each.collect()
    }

    const WEEKENDS: &str = "0 0 * * 6/0 0 * * 1";
    const NIGHTS: &str = "0 22 * * */0 4 * * *";

    /// In each case, the search starts on Saturday at noon.
    #[rstest]
    #[case::single_union_is_clipped_at_the_start(&[WEEKENDS], &["05T12 07T00"])]
    #[case::overlap_of_two(&[WEEKENDS, NIGHTS], &["05T22 06T04", "06T22 07T00"])]
    #[case::no_overlap(&[WEEKENDS, "0 1 * * 2/0 4 * * 2"], &[])]
    fn finds_time_spans_in_which_all_schedules_are_open(
        #[case] texts: &[&str],
        #[case] expected: &[&str],
    ) {
        let all: Vec<_> = texts.iter().map(|text| schedules(text)).collect();
        let all: Vec<&[Schedule]> = all.iter().map(Vec::as_slice).collect();
        let time = |text: &str| text.parse::<Timestamp>().expect("a time");
        let within = (time("2026-12-05T12:00:00Z"), time("2026-12-12T00:00:00Z"));
        let hour = |at: Timestamp| at.strftime("%dT%H").to_string();
        let spans = overlaps(&all, within);
        let spans: Vec<_> = spans
            .map(|(opens, closes)| format!("{} {}", hour(opens), hour(closes.expect("an end"))))
            .collect();
        assert_eq!(spans, expected);
    }
}
