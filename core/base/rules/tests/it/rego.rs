//! Tests of Rego rules: their results, errors and limits.

mod bombs;
mod bounds;
mod reference;
mod refusals;
