//! Defaults, choices, versions, times, and a way to give up.

use std::rc::Rc;

use super::{Function, Kind, Ran, is_set, string};
use crate::host::Host;
use crate::time;
use crate::value::{Shape, Value};
use crate::version::{Constraint, SemanticVersion};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("default", &[Kind::Any], |_, values| {
        let [default, given @ ..] = values else {
            return Ok(Shape::Null.into());
        };
        match given.first() {
            Some(given) if given.is_true() => Ok(given.clone()),
            Some(given) => Ok(default.clone().depending_on(&given.all_origins())),
            None => Ok(default.clone()),
        }
    })
    .and(Kind::Any)
    .keeping_origins(),
    Function::new("empty", &[Kind::Any], |_, values| {
        Ok((!values[0].is_true()).into())
    }),
    Function::new(
        "ternary",
        &[Kind::Any, Kind::Any, Kind::Bool],
        |_, values| {
            let chosen = if is_set(&values[2]) {
                &values[0]
            } else {
                &values[1]
            };
            Ok(chosen.clone().depending_on(&values[2].origins))
        },
    )
    .keeping_origins(),
    Function::new("coalesce", &[], |_, values| {
        let found = values.iter().find(|value| value.is_true());
        Ok(found.cloned().unwrap_or(Shape::Null.into()))
    })
    .and(Kind::Any),
    Function::new("all", &[], |_, values| {
        Ok(values.iter().all(Value::is_true).into())
    })
    .and(Kind::Any),
    Function::new("any", &[], |_, values| {
        Ok(values.iter().any(Value::is_true).into())
    })
    .and(Kind::Any),
    Function::new("fail", &[Kind::Text], |_, values| {
        Err(string(&values[0]).into())
    }),
    Function::new("semver", &[Kind::Text], |_, values| {
        let version = SemanticVersion::parse(&string(&values[0]))?;
        Ok(Shape::Version(Rc::new(version)).into())
    }),
    Function::new("semverCompare", &[Kind::Text, Kind::Text], |_, values| {
        let constraint = Constraint::parse(&string(&values[0]))?;
        let version = SemanticVersion::parse(&string(&values[1]))?;
        Ok(constraint.allows(&version).into())
    }),
    Function::new("now", &[], |host, _| Ok(Shape::Time(host.now).into())),
    Function::new("date", &[Kind::Text, Kind::Any], date),
    Function::new("toDate", &[Kind::Text, Kind::Text], |_, values| {
        let parsed = time::parsed(&string(&values[0]), &string(&values[1]));
        Ok(Shape::Time(parsed.unwrap_or(YEAR_ONE)).into())
    }),
    Function::new("mustToDate", &[Kind::Text, Kind::Text], |_, values| {
        let parsed = time::parsed(&string(&values[0]), &string(&values[1]))?;
        Ok(Shape::Time(parsed).into())
    }),
];

/// Go's time without a value: the begin of the year 1.
const YEAR_ONE: i64 = -62_135_596_800;

fn date(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let seconds = match values[1].shape {
        Shape::Time(seconds) | Shape::Int(seconds) | Shape::Int64(seconds) => seconds,
        _ => host.now,
    };
    super::made(host, time::formatted(&string(&values[0]), seconds))
}
