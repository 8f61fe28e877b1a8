//! The functions for integers, and for rounding.

use super::convert::{to_float, to_int};
use super::texts::strings;
use super::{Function, Kind, Ran, int, made};
use crate::host::{Failure, Host};
use crate::number;
use crate::value::{Elements, Shape, Value};

const TWO: &[Kind] = &[Kind::Any, Kind::Any];

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("add", &[], |_, values| {
        whole(values.iter().map(to_int).fold(0, i64::wrapping_add))
    })
    .and(Kind::Any),
    Function::new("sub", TWO, |_, values| {
        whole(to_int(&values[0]).wrapping_sub(to_int(&values[1])))
    }),
    Function::new("mul", &[Kind::Any], |_, values| {
        whole(values.iter().map(to_int).fold(1, i64::wrapping_mul))
    })
    .and(Kind::Any),
    Function::new("div", TWO, |_, values| match to_int(&values[1]) {
        0 => Err("runtime error: integer divide by zero".into()),
        by => whole(to_int(&values[0]).wrapping_div(by)),
    }),
    Function::new("mod", TWO, |_, values| match to_int(&values[1]) {
        0 => Err("runtime error: integer divide by zero".into()),
        by => whole(to_int(&values[0]).wrapping_rem(by)),
    }),
    Function::new("add1", &[Kind::Any], |_, values| {
        whole(to_int(&values[0]).wrapping_add(1))
    }),
    Function::new("max", &[Kind::Any], |_, values| {
        whole(values.iter().map(to_int).fold(i64::MIN, i64::max))
    })
    .and(Kind::Any),
    Function::new("biggest", &[Kind::Any], |_, values| {
        whole(values.iter().map(to_int).fold(i64::MIN, i64::max))
    })
    .and(Kind::Any),
    Function::new("min", &[Kind::Any], |_, values| {
        whole(values.iter().map(to_int).fold(i64::MAX, i64::min))
    })
    .and(Kind::Any),
    Function::new("floor", &[Kind::Any], |_, values| {
        Ok(Shape::Float(to_float(&values[0]).floor()).into())
    }),
    Function::new("ceil", &[Kind::Any], |_, values| {
        Ok(Shape::Float(to_float(&values[0]).ceil()).into())
    }),
    Function::new("round", &[Kind::Any, Kind::Int], round).and(Kind::Float),
    Function::new("until", &[Kind::Int], |host, values| {
        let stop = int(&values[0]);
        until_step(host, 0, stop, if stop < 0 { -1 } else { 1 })
    }),
    Function::new(
        "untilStep",
        &[Kind::Int, Kind::Int, Kind::Int],
        |host, values| until_step(host, int(&values[0]), int(&values[1]), int(&values[2])),
    ),
    Function::new("seq", &[], seq).and(Kind::Int),
];

fn whole(number: i64) -> Ran {
    Ok(Shape::Int64(number).into())
}

fn round(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let up_from = values.get(2).map_or(0.5, to_float);
    let power = 10f64.powf(number::to_float(int(&values[1])));
    let digits = power * to_float(&values[0]);
    let rounded = if digits.fract() >= up_from {
        digits.ceil()
    } else {
        digits.floor()
    };
    Ok(Shape::Float(rounded / power).into())
}

/// Returns a sequence of numbers as text: up to a number, from a number to another, or in steps.
/// Includes the last number.
fn seq(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let numbers: Vec<i64> = values.iter().map(int).collect();
    let (start, step, stop) = match numbers[..] {
        [stop] => (1, None, stop),
        [start, stop] => (start, None, stop),
        [start, step, stop] => (start, Some(step), stop),
        _ => return Ok("".into()),
    };
    let towards = if stop < start { -1 } else { 1 };
    if step.is_some_and(|step| step > 0 && towards < 0) {
        return Ok("".into());
    }
    let end = stop.saturating_add(towards);
    let numbers = until_step(host, start, end, step.unwrap_or(towards))?;
    let texts = strings(host, &numbers)?;
    made(host, texts.join(&b' '))
}

/// Counts the numbers before it creates them, because a template may request any amount.
fn until_step(host: &mut Host<'_>, start: i64, stop: i64, step: i64) -> Ran {
    let distance = i128::from(stop) - i128::from(start);
    let count = match step {
        0 => 0,
        step if (step > 0) != (distance > 0) => 0,
        step => distance.unsigned_abs().div_ceil(step.unsigned_abs().into()),
    };
    host.steps(usize::try_from(count).unwrap_or(usize::MAX))
        .map_err(Failure::from)?;
    let mut numbers = Vec::new();
    let mut number = start;
    for _ in 0..count {
        numbers.push(Shape::Int(number).into());
        number = number.saturating_add(step);
    }
    Ok(Value::list(Elements::Int, numbers))
}
