//! The function `semver_compare`, which CEL expressions in catalogs can call in addition to the
//! standard functions.

use std::fmt::Display;

use cel::common::types::{CelDouble, CelInt, CelString, CelUInt, DYN_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{Env, ExecutionError};
use portolan_core_names::Version;

pub(super) const SEMVER_COMPARE: &str = "semver_compare";

pub(super) fn declare(env: &mut Env) {
    let arguments = vec![DYN_TYPE, DYN_TYPE];
    env.add_overload(SEMVER_COMPARE, SEMVER_COMPARE, arguments, semver_compare)
        .expect("the standard must have no function of that name");
}

/// Returns -1, 0 or 1 if the first version is lower than, equal to or higher than the second
/// version.
fn semver_compare<'b, 'v>(
    arguments: Vec<CowVal<'b, 'v>>,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [left, right] = arguments.as_slice() else {
        return Err(ExecutionError::invalid_argument_count(2, arguments.len()));
    };
    let order = version(left.as_ref())?.cmp(&version(right.as_ref())?);
    Ok(CowVal::owned(CelInt::from(i64::from(order as i8))))
}

fn version(value: &dyn Val) -> Result<Version, ExecutionError> {
    let texts = [
        value
            .downcast_ref::<CelString<'_>>()
            .map(|text| text.inner().to_owned()),
        value.downcast_ref::<CelInt>().map(written),
        value.downcast_ref::<CelUInt>().map(written),
        value.downcast_ref::<CelDouble>().map(written),
    ];
    let text = texts.into_iter().flatten().next().unwrap_or_default();
    tolerant(&text).ok_or_else(|| ExecutionError::function_error(SEMVER_COMPARE, "no version"))
}

fn written<T: std::ops::Deref<Target: Display>>(number: &T) -> String {
    number.deref().to_string()
}

/// Parses a version as tolerantly as OLM: accepts surrounding blanks, a leading `v`, leading zeros
/// and missing numbers.
fn tolerant(text: &str) -> Option<Version> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 && parts.last()?.contains(['+', '-']) {
        return None;
    }
    parts.resize(3, "0".to_owned());
    Version::parse(&parts.join(".")).ok()
}

fn without_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_owned();
    }
    let rest = part.trim_start_matches('0');
    if rest.starts_with(|first: char| first.is_ascii_digit()) {
        rest.to_owned()
    } else {
        format!("0{rest}")
    }
}
