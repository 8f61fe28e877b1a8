//! Tests of approval through its public API.

mod consent;
