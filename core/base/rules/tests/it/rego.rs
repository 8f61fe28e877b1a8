//! Rego rules: their results, their errors and their limits.

mod bombs;
mod bounds;
mod reference;
mod refusals;
