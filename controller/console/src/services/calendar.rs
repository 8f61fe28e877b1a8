//! The calendar of upgrades: the operators, and the times in the next week at which policies permit
//! upgrades.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use portolan_api::policy::SubjectKind;
use portolan_core_console::view::{ObjectCell, ObjectKind, ObjectTable, Origin, ShownObject};

use super::objects::page_of;
use super::windows::{BoundPolicies, PolicySubject, UpgradePolicies, WEEK};

/// The number of days in the calendar.
const DAYS: usize = 7;
/// The maximum number of operators in the calendar. The limit keeps the page small.
const MOST_OPERATORS: usize = 50;

/// The hyphen between two times. Browsers do not break a line at this hyphen.
const TO: char = '\u{2011}';

/// Returns the calendar of operators. The calendar does not list operators without a PolicyBinding,
/// but contains their number. Returns None if no operator has a PolicyBinding.
pub(super) fn calendar<'a>(
    policies: &UpgradePolicies,
    operators: impl Iterator<Item = &'a PolicySubject>,
    now: Timestamp,
) -> Option<ObjectTable> {
    let today = now.to_zoned(TimeZone::UTC).date();
    let days: Vec<Date> = today.series(1.day()).take(DAYS).collect();
    let (mut rows, mut unbound, mut more) = (Vec::new(), 0, 0);
    for operator in operators {
        let bound = policies.bound(operator);
        if bound.bindings.is_empty() {
            unbound += 1;
        } else if rows.len() == MOST_OPERATORS {
            more += 1;
        } else {
            rows.push(row(operator, &bound, (&days, now)));
        }
    }
    if rows.is_empty() {
        return None;
    }
    let mut caption = "Times in UTC at which all upgrade policies are open".to_owned();
    if unbound > 0 {
        caption += &format!("; {unbound} operators without a PolicyBinding are not listed");
    }
    if more > 0 {
        caption += &format!("; {more} more operators are not listed");
    }
    let days = days.iter().map(|day| day.strftime("%a %d %b").to_string());
    let columns = std::iter::once("Operator".to_owned()).chain(days);
    Some(ObjectTable {
        title: "What may upgrade when",
        caption,
        columns: columns.chain(["Policies".to_owned()]).collect(),
        rows,
        none: "",
    })
}

fn row(
    operator: &PolicySubject,
    bound: &BoundPolicies<'_>,
    (days, now): (&[Date], Timestamp),
) -> Vec<ObjectCell> {
    let week = bound.week(now);
    let days = days
        .iter()
        .map(|day| ObjectCell::Lines(on(*day, &week, now)));
    let policies = bound.policies.iter().map(|name| {
        let (place, text) = ShownObject::of(ObjectKind::Policy, "", name).link();
        let note = if bound.invalid == Some(*name) {
            " (invalid)"
        } else if bound.rules.contains(name) {
            " (its rule must also allow the upgrade)"
        } else {
            ""
        };
        (place, text + note)
    });
    let policies = ObjectCell::Links(policies.collect());
    let first = ObjectCell::Links(vec![link(operator)]);
    std::iter::once(first)
        .chain(days)
        .chain([policies])
        .collect()
}

/// Returns the link to an operator that a PolicyBinding names.
pub(super) fn link(
    (kind, namespace, name): &PolicySubject,
) -> (portolan_core_console::ConsolePage, String) {
    match kind {
        SubjectKind::Operator => (page_of(Origin::Portolan, "", name), name.clone()),
        SubjectKind::OperatorPolicy => {
            ShownObject::of(ObjectKind::OperatorPolicy, namespace, name).link()
        }
    }
}

/// Returns the parts of time spans that fall on a day, as texts.
fn on(day: Date, spans: &[(Timestamp, Option<Timestamp>)], now: Timestamp) -> Vec<String> {
    let start = |day: Date| day.to_zoned(TimeZone::UTC).map(|it| it.timestamp());
    let next = day.checked_add(1.day()).and_then(start);
    let (Ok(begins), Ok(ends)) = (start(day), next) else {
        return Vec::new();
    };
    let spans = spans.iter().filter_map(|(opens, closes)| {
        let closes = closes.unwrap_or(Timestamp::MAX);
        let (from, to) = ((*opens).max(begins), closes.min(ends));
        (from < to).then(|| {
            let from = if from == now {
                "now".to_owned()
            } else {
                clock(from)
            };
            let to = if to == ends {
                "24:00".to_owned()
            } else {
                clock(to)
            };
            format!("{from}{TO}{to}")
        })
    });
    spans.collect()
}

fn clock(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%H:%M").to_string()
}

/// Returns the windows in the next week, as a table for the page of a Policy.
pub(super) fn week(bound: &BoundPolicies<'_>, now: Timestamp) -> ObjectTable {
    let shown = |at: Timestamp, form: &str| at.to_zoned(TimeZone::UTC).strftime(form).to_string();
    let rows = bound.week(now).into_iter().map(|(opens, closes)| {
        let closes = match closes {
            // The window is open for at least a week, so the weekday of its end would be ambiguous.
            Some(closes) if closes >= opens + WEEK => shown(closes, "%F %H:%M"),
            Some(closes) => shown(closes, "%A %H:%M"),
            None => "never".to_owned(),
        };
        let texts = [shown(opens, "%A, %F"), shown(opens, "%H:%M"), closes];
        texts.map(ObjectCell::Text).into()
    });
    ObjectTable {
        title: "Windows of the next seven days",
        caption: "Times are in UTC".to_owned(),
        columns: ["Day", "Opens", "Closes"].map(str::to_owned).into(),
        rows: rows.take(MOST_WINDOWS).collect(),
        none: "No window opens within a week.",
    }
}

/// The maximum number of windows in the table.
const MOST_WINDOWS: usize = 100;

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    /// The window is open from Saturday night to Sunday night.
    #[rstest]
    #[case::day_before("2026-12-04", &[])]
    #[case::first_day("2026-12-05", &["22:00\u{2011}24:00"])]
    #[case::last_day("2026-12-06", &["00:00\u{2011}23:30"])]
    #[case::day_after("2026-12-07", &[])]
    fn window_is_on_each_of_its_days(#[case] day: &str, #[case] expected: &[&str]) {
        let span = (
            time("2026-12-05T22:00:00Z"),
            Some(time("2026-12-06T23:30:00Z")),
        );
        let day = day.parse().expect("a day");
        assert_eq!(on(day, &[span], time("2026-12-01T00:00:00Z")), expected);
    }

    #[test]
    fn open_window_begins_now() {
        let now = time("2026-12-05T12:31:00Z");
        let day = "2026-12-05".parse().expect("a day");
        assert_eq!(on(day, &[(now, None)], now), ["now\u{2011}24:00"]);
    }
}
