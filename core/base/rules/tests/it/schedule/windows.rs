//! Tests of the windows of schedules.

use jiff::Timestamp;
use portolan_core_rules::schedule::{Moments, Schedule, State, Window, Zone, state, windows};
use proptest::prelude::*;
use rstest::rstest;
use similar_asserts::assert_eq;

fn schedule(start: &str, end: &str, zone: &str) -> Schedule {
    let moments = |line| Moments::parse(line).expect("a line");
    let zone = Zone::parse(zone).expect("a zone");
    Schedule::new(moments(start), moments(end), zone).expect("a schedule")
}

fn time(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

/// A window includes its first moment and excludes its end.
#[rstest]
#[case::a_moment_before("2026-01-03T00:00:59.999999999Z", State::Closed { opens: Some(time("2026-01-03T00:01:00Z")) })]
#[case::at_its_start("2026-01-03T00:01:00Z", State::Open { closes: Some(time("2026-01-04T23:59:00Z")) })]
#[case::within("2026-01-04T12:00:00Z", State::Open { closes: Some(time("2026-01-04T23:59:00Z")) })]
#[case::a_moment_before_its_end("2026-01-04T23:58:59.999999999Z", State::Open { closes: Some(time("2026-01-04T23:59:00Z")) })]
#[case::at_its_end("2026-01-04T23:59:00Z", State::Closed { opens: Some(time("2026-01-10T00:01:00Z")) })]
fn window_includes_its_start_and_excludes_its_end(#[case] at: &str, #[case] expected: State) {
    let weekends = schedule("01 00 * * 6", "59 23 * * 0", "UTC");
    assert_eq!(weekends.state(time(at)), expected);
}

#[rstest]
#[case::usual("2026-03-20T00:00:00Z", false)]
#[case::its_start_is_skipped("2026-03-28T12:00:00Z", true)]
#[case::start_occurs_twice("2026-10-24T12:00:00Z", true)]
fn window_that_a_clock_change_shifts_is_reported_as_shifted(
    #[case] from: &str,
    #[case] is_shifted: bool,
) {
    let nightly = schedule("30 2 * * *", "0 5 * * *", "Europe/Berlin");
    let first = windows(&[nightly], time(from)).next();
    assert_eq!(first.map(|window| window.is_shifted), Some(is_shifted));
}

#[test]
fn window_that_a_clock_change_skips_is_omitted() {
    let short = [schedule("10 2 * * *", "50 2 * * *", "Europe/Berlin")];
    let mut found = windows(&short, time("2026-03-28T12:00:00Z"));
    let expected = Window {
        opens: time("2026-03-30T00:10:00Z"),
        closes: Some(time("2026-03-30T00:50:00Z")),
        is_shifted: false,
    };
    assert_eq!(found.next(), Some(expected));
}

/// A window opens in each minute from Monday to Friday. The merged window is reported in several
/// parts.
#[test]
fn merged_window_closes_with_its_last_part() {
    let weekdays = [schedule("* * * * 1-5", "* * * * *", "UTC")];
    let (monday, saturday) = (time("2026-01-05T00:00:00Z"), time("2026-01-10T00:00:00Z"));
    let parts: Vec<_> = windows(&weekdays, monday).take(9).collect();
    let ends = parts.iter().filter_map(|part| part.closes);
    let ends: Vec<_> = ends.collect();
    let expected = Some(time("2026-01-05T16:40:00Z"));
    assert_eq!(state(&weekdays, monday), State::Open { closes: expected });
    assert_eq!(ends[7], saturday);
    let begins: Vec<_> = parts.iter().map(|part| part.opens).collect();
    assert_eq!(
        begins[1..8],
        ends[..7],
        "each part begins where the previous one ends"
    );
    let opens = Some(begins[8]);
    assert_eq!(opens, Some(time("2026-01-12T00:00:00Z")));
    assert_eq!(state(&weekdays, saturday), State::Closed { opens });
}

#[test]
fn always_open_schedule_is_reported_in_touching_parts() {
    let always = [
        schedule("0 0 * * *", "0 12 * * *", "UTC"),
        schedule("0 12 * * *", "0 0 * * *", "UTC"),
    ];
    let mut parts = windows(&always, time("2026-01-01T06:00:00Z"));
    let (first, second) = (
        parts.next().expect("a part"),
        parts.next().expect("another"),
    );
    let closes = Some(time("2027-05-16T00:00:00Z"));
    assert_eq!((first.closes, Some(second.opens)), (closes, closes));
}

#[test]
fn no_window_opens_without_schedules() {
    assert_eq!(
        state(&[], time("2026-01-01T00:00:00Z")),
        State::Closed { opens: None }
    );
}

/// A time at the limits of the calendar must have a state, but the next change may be unknown.
#[rstest]
#[case::the_first(Timestamp::MIN)]
#[case::the_last(Timestamp::MAX)]
fn state_at_the_calendar_limits_does_not_panic(#[case] at: Timestamp) {
    for zone in ["UTC", "Europe/Berlin", "Pacific/Apia"] {
        let _ = schedule("1 0 * * 6", "59 23 * * 0", zone).state(at);
    }
}

proptest! {
    /// The state does not change before the reported time, and changes at that time.
    #[test]
    fn state_changes_exactly_at_the_reported_time(
        minute in 0..60_u8, hour in 0..24_u8, day in 0..8_u8, last in 0..60_u8, step in 1..24_u8,
        at in 1_700_000_000..1_900_000_000_i64,
        zone in prop::sample::select(vec!["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe"]),
    ) {
        let (start, end) = (format!("{minute} {hour} * * {day}"), format!("{last} */{step} * * *"));
        prop_assume!(start != end);
        let schedules = [schedule(&start, &end, zone)];
        let at = Timestamp::from_second(at).expect("a time");
        let reported = state(&schedules, at);
        let (State::Open { closes: next } | State::Closed { opens: next }) = reported;
        let next = next.expect("a change");
        prop_assert!(next > at);
        let middle = Timestamp::from_second((at.as_second() + next.as_second()) / 2).expect("a time");
        prop_assert_eq!(state(&schedules, middle), reported);
        let is_open = |state| matches!(state, State::Open { .. });
        prop_assert_ne!(is_open(state(&schedules, next)), is_open(reported));
    }
}
