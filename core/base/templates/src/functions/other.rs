//! The functions for defaults, conditions, versions and time, and the function `fail`.

use std::rc::Rc;

use super::{Function, Kind, Ran, is_set, string};
use crate::value::{Shape, Value};
use crate::version::{Constraint, SemanticVersion};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("default", &[Kind::Any], |_, values| {
        let [default, given @ ..] = values else {
            return Ok(Shape::Null.into());
        };
        match given.first() {
            Some(given) => {
                let chosen = if given.is_true() { given } else { default };
                Ok(chosen.clone().depending_on(&given.all_origins().chosen()))
            }
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
            Ok(chosen.clone().depending_on(&values[2].origins.chosen()))
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
    Function::new("env", &[], |_, _| denied("env")).and(Kind::Any),
    Function::new("expandenv", &[], |_, _| denied("expandenv")).and(Kind::Any),
];

/// Rejects a call of a function that would reveal environment variables of the process.
fn denied(name: &str) -> Ran {
    Err(format!(
        "use of denylisted template function: function '{name}' is considered a security risk"
    )
    .into())
}
