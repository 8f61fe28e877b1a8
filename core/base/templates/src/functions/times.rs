//! The functions for times and durations. The local time is UTC, as in the controller of Open
//! Cluster Management.

use super::{Function, Kind, Ran, made, string};
use crate::host::Host;
use crate::time::{self, SECOND};
use crate::value::{Shape, Value};

const LAYOUT_AND_TIME: &[Kind] = &[Kind::Text, Kind::Any];
const IN_ZONE: &[Kind] = &[Kind::Text, Kind::Any, Kind::Text];
const MODIFY: &[Kind] = &[Kind::Text, Kind::Time];
const TEXTS: &[Kind] = &[Kind::Text, Kind::Text];
const DAY: &str = "2006-01-02";

/// Go's zero value of a time: the start of the year 1, in seconds since 1970.
const YEAR_ONE: i64 = -62_135_596_800;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("now", &[], |host, _| Ok(Shape::Time(host.now).into())),
    Function::new("date", LAYOUT_AND_TIME, |host, values| {
        date(host, &string(&values[0]), &values[1], "UTC")
    }),
    Function::new("dateInZone", IN_ZONE, |host, values| {
        date(host, &string(&values[0]), &values[1], &string(&values[2]))
    }),
    Function::new("date_in_zone", IN_ZONE, |host, values| {
        date(host, &string(&values[0]), &values[1], &string(&values[2]))
    }),
    Function::new("htmlDate", &[Kind::Any], |host, values| {
        date(host, DAY, &values[0], "UTC")
    }),
    Function::new(
        "htmlDateInZone",
        &[Kind::Any, Kind::Text],
        |host, values| date(host, DAY, &values[0], &string(&values[1])),
    ),
    Function::new("dateModify", MODIFY, date_modify),
    Function::new("date_modify", MODIFY, date_modify),
    Function::new("mustDateModify", MODIFY, must_date_modify),
    Function::new("must_date_modify", MODIFY, must_date_modify),
    Function::new("toDate", TEXTS, |_, values| {
        let parsed = time::parsed(&string(&values[0]), &string(&values[1]));
        Ok(Shape::Time(parsed.unwrap_or(YEAR_ONE)).into())
    }),
    Function::new("mustToDate", TEXTS, |_, values| {
        let parsed = time::parsed(&string(&values[0]), &string(&values[1]))?;
        Ok(Shape::Time(parsed).into())
    }),
    Function::new("unixEpoch", &[Kind::Time], |_, values| {
        Ok(seconds(&values[0]).unwrap_or_default().to_string().into())
    }),
    Function::new("ago", &[Kind::Any], |host, values| {
        let since = moment(host, &values[0]);
        let nanoseconds = host.now.saturating_sub(since).saturating_mul(SECOND);
        Ok(time::printed_duration(nanoseconds).into())
    }),
    Function::new("duration", &[Kind::Any], |_, values| {
        let seconds = match &values[0].shape {
            Shape::Text(_) => string(&values[0]).parse().unwrap_or(0),
            Shape::Int64(seconds) => *seconds,
            _ => 0,
        };
        Ok(time::printed_duration(seconds.wrapping_mul(SECOND)).into())
    }),
    Function::new("durationRound", &[Kind::Any], |host, values| {
        let nanoseconds = match &values[0].shape {
            Shape::Text(_) => time::duration(&string(&values[0])).unwrap_or(0),
            Shape::Int64(nanoseconds) => *nanoseconds,
            Shape::Time(since) => host.now.saturating_sub(*since).saturating_mul(SECOND),
            _ => 0,
        };
        Ok(time::rounded_duration(nanoseconds).into())
    }),
];

fn seconds(value: &Value) -> Option<i64> {
    match value.shape {
        Shape::Time(seconds) => Some(seconds),
        _ => None,
    }
}

/// Returns the time in an argument. If the argument has another type, returns the current time.
fn moment(host: &Host<'_>, value: &Value) -> i64 {
    match value.shape {
        Shape::Time(seconds) | Shape::Int(seconds) | Shape::Int64(seconds) => seconds,
        _ => host.now,
    }
}

fn date(host: &mut Host<'_>, layout: &str, value: &Value, zone: &str) -> Ran {
    let seconds = moment(host, value);
    made(host, time::formatted_in(layout, seconds, zone))
}

/// Adds a duration to a time. If the text is not a valid duration, returns the time unchanged.
fn date_modify(host: &mut Host<'_>, values: &[Value]) -> Ran {
    match time::duration(&string(&values[0])) {
        Ok(_) => must_date_modify(host, values),
        Err(_) => Ok(values[1].clone()),
    }
}

fn must_date_modify(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let nanoseconds = time::duration(&string(&values[0]))?;
    if nanoseconds % SECOND != 0 {
        return Err("durations must be whole seconds".into());
    }
    let seconds = seconds(&values[1]).unwrap_or_default();
    Ok(Shape::Time(seconds.saturating_add(nanoseconds / SECOND)).into())
}
