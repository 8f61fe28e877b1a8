//! The functions for numbers with a fraction. They compute in decimal, so the sum of `0.1` and
//! `0.2` is `0.3`.

use std::ops;

use super::convert::to_float;
use super::{Function, Kind, Ran};
use crate::host::{Failure, Host};
use crate::value::{Shape, Value};

/// The number of digits of a quotient after the decimal point.
const DIGITS: i32 = 16;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("maxf", &[Kind::Any], |_, values| {
        float(
            values
                .iter()
                .map(to_float)
                .fold(f64::NEG_INFINITY, f64::max),
        )
    })
    .and(Kind::Any),
    Function::new("minf", &[Kind::Any], |_, values| {
        float(values.iter().map(to_float).fold(f64::INFINITY, f64::min))
    })
    .and(Kind::Any),
    Function::new("addf", &[], |host, values| {
        let zero = Decimal {
            digits: 0,
            exponent: 0,
        };
        folded(host, zero, values, (Decimal::plus, ops::Add::add))
    })
    .and(Kind::Any),
    Function::new("add1f", &[Kind::Any], |host, values| {
        let one = Decimal {
            digits: 1,
            exponent: 0,
        };
        folded(host, one, values, (Decimal::plus, ops::Add::add))
    }),
    Function::new("subf", &[Kind::Any], |host, values| {
        let first = Decimal::of(to_float(&values[0]))?;
        folded(host, first, &values[1..], (Decimal::minus, ops::Sub::sub))
    })
    .and(Kind::Any),
    Function::new("mulf", &[Kind::Any], |host, values| {
        let first = Decimal::of(to_float(&values[0]))?;
        folded(host, first, &values[1..], (Decimal::times, ops::Mul::mul))
    })
    .and(Kind::Any),
    Function::new("divf", &[Kind::Any], |host, values| {
        if values[1..].iter().any(|value| to_float(value) == 0.0) {
            return Err("decimal division by 0".into());
        }
        let first = Decimal::of(to_float(&values[0]))?;
        folded(host, first, &values[1..], (Decimal::by, ops::Div::div))
    })
    .and(Kind::Any),
    Function::new("toDecimal", &[Kind::Any], |_, values| {
        let text = crate::print::plain(&values[0])?;
        let octal = i64::from_str_radix(&String::from_utf8_lossy(&text), 8);
        Ok(Shape::Int64(octal.unwrap_or(0)).into())
    }),
];

fn float(number: f64) -> Ran {
    Ok(Shape::Float(number).into())
}

/// An operation on exact decimals, and the same operation on floats. The second is used if the
/// first has no result.
type Operation = (fn(Decimal, Decimal) -> Option<Decimal>, fn(f64, f64) -> f64);

fn folded(host: &mut Host<'_>, first: Decimal, values: &[Value], (exact, rough): Operation) -> Ran {
    host.steps(values.len())?;
    let mut result = first;
    for value in values {
        let value = to_float(value);
        result = match exact(result, Decimal::of(value)?) {
            Some(next) => next,
            // If the numbers differ very much in size, a float loses digits anyway.
            None => Decimal::of(rough(result.to_float(), value))?,
        };
    }
    float(result.to_float())
}

/// A decimal number: `digits` times ten to the power of `exponent`.
#[derive(Debug, Clone, Copy)]
struct Decimal {
    digits: i128,
    exponent: i32,
}

// === impl Decimal ===

impl Decimal {
    /// Returns the decimal with the shortest digits that represent this float.
    fn of(number: f64) -> Result<Self, Failure> {
        let text = format!("{number:e}");
        let parsed = text.split_once('e').and_then(|(mantissa, exponent)| {
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let exponent: i32 = exponent.parse().ok()?;
            Some(Self {
                digits: format!("{whole}{fraction}").parse().ok()?,
                exponent: exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?,
            })
        });
        parsed.ok_or_else(|| format!("Cannot create a Decimal from {text}").into())
    }

    fn plus(self, other: Self) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let digits = self
            .down_to(exponent)?
            .checked_add(other.down_to(exponent)?)?;
        Some(Self { digits, exponent })
    }

    fn minus(self, other: Self) -> Option<Self> {
        let digits = other.digits.checked_neg()?;
        self.plus(Self { digits, ..other })
    }

    fn times(self, other: Self) -> Option<Self> {
        Some(Self {
            digits: self.digits.checked_mul(other.digits)?,
            exponent: self.exponent.checked_add(other.exponent)?,
        })
    }

    /// Divides by another decimal. Rounds half of the last digit away from zero.
    fn by(self, other: Self) -> Option<Self> {
        let shift = self
            .exponent
            .checked_sub(other.exponent)?
            .checked_add(DIGITS)?;
        let Some(down) = tens(shift.min(0).checked_neg()?) else {
            return Some(Self {
                digits: 0,
                exponent: 0,
            });
        };
        // If the quotient is large, its digits that do not fit into a float are dropped.
        let scaled = (0..=shift.max(0)).rev().find_map(|power| {
            let dividend = self.digits.checked_mul(tens(power)?)?;
            Some((dividend, power))
        });
        let (dividend, power) = scaled?;
        let divisor = other.digits.checked_mul(down)?;
        let (quotient, rest) = (
            dividend.checked_div(divisor)?,
            dividend.checked_rem(divisor)?,
        );
        let is_rounded = rest.checked_mul(2)?.checked_abs()? >= divisor.checked_abs()?;
        let away = if (dividend < 0) == (divisor < 0) {
            1
        } else {
            -1
        };
        Some(Self {
            digits: quotient + if is_rounded { away } else { 0 },
            exponent: shift.max(0) - power - DIGITS,
        })
    }

    fn down_to(self, exponent: i32) -> Option<i128> {
        if self.digits == 0 {
            return Some(0);
        }
        self.digits
            .checked_mul(tens(self.exponent.checked_sub(exponent)?)?)
    }

    fn to_float(self) -> f64 {
        let text = format!("{}e{}", self.digits, self.exponent);
        text.parse().unwrap_or(f64::NAN)
    }
}

fn tens(power: i32) -> Option<i128> {
    10i128.checked_pow(u32::try_from(power).ok()?)
}
