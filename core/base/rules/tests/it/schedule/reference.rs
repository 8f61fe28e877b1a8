//! Compares the windows of schedules, minute by minute, with a second implementation:
//! `tests/fixtures/schedule/windows.py`.

use jiff::{SignedDuration, Timestamp};
use portolan_core_rules::schedule::{Moments, Schedule, State, Zone, state, windows};
use serde_json::Value;
use similar_asserts::assert_eq;

struct Case {
    what: String,
    schedules: Vec<Schedule>,
    from: Timestamp,
    to: Timestamp,
    is_open: bool,
    changes: Vec<Timestamp>,
}

fn cases() -> Vec<Case> {
    let all: Vec<Value> =
        serde_json::from_str(include_str!("../../fixtures/schedule/windows.json")).expect("JSON");
    all.iter().map(case).collect()
}

fn case(case: &Value) -> Case {
    let texts =
        |at: &str| -> Vec<String> { serde_json::from_value(case[at].clone()).expect("texts") };
    let zone = Zone::parse(case["zone"].as_str().expect("a zone")).expect("a zone");
    let moments = |line: &String| Moments::parse(line).expect("a line");
    let lines = texts("lines");
    let pairs = lines.chunks(2);
    let schedules = pairs.map(|pair| {
        Schedule::new(moments(&pair[0]), moments(&pair[1]), zone.clone()).expect("a schedule")
    });
    let day = |at: &str| time(&format!("{}T00:00:00Z", case[at].as_str().expect("a day")));
    Case {
        what: format!("{lines:?} {}", zone.name()),
        schedules: schedules.collect(),
        from: day("from"),
        to: day("to"),
        is_open: case["open"].as_bool().expect("a flag"),
        changes: texts("changes").iter().map(|text| time(text)).collect(),
    }
}

fn time(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

fn is_open(schedules: &[Schedule], at: Timestamp) -> bool {
    matches!(state(schedules, at), State::Open { .. })
}

#[test]
fn windows_match_the_reference_implementation() {
    for case in cases() {
        // A change exactly at `from` is not a future change. Another test checks such changes.
        let within = |time: &Timestamp| case.from < *time && *time < case.to;
        let windows = windows(&case.schedules, case.from);
        let windows = windows.take_while(|window| window.opens < case.to);
        let found: Vec<_> = windows
            .flat_map(|window| [Some(window.opens), window.closes])
            .flatten()
            .filter(within)
            .collect();
        let changes: Vec<_> = case.changes.into_iter().filter(within).collect();
        assert_eq!(found, changes, "{}", case.what);
    }
}

#[test]
fn state_at_each_window_edge_matches_the_reference_implementation() {
    let second = SignedDuration::from_secs(1);
    for case in cases() {
        let mut was_open = case.is_open;
        assert_eq!(
            is_open(&case.schedules, case.from),
            was_open,
            "{}",
            case.what
        );
        for change in &case.changes {
            let (before, after) = (*change - second, *change);
            let what = format!("{} at {change}", case.what);
            if *change != case.from {
                assert_eq!(is_open(&case.schedules, before), was_open, "{what}, before");
                let (reported, expected) = (state(&case.schedules, before), Some(*change));
                assert!(
                    matches!(reported, State::Open { closes } if closes == expected)
                        || matches!(reported, State::Closed { opens } if opens == expected),
                    "{what}: {reported:?}"
                );
                was_open = !was_open;
            }
            assert_eq!(is_open(&case.schedules, after), was_open, "{what}, after");
        }
    }
}
