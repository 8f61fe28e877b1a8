//! Tests the approval crate through its public API.

mod consent;
