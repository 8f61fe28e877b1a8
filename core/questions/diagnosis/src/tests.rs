//! Tests with complete namespaces, and properties that every diagnosis must have.

pub(crate) mod kit;

mod claims;
mod codes;
mod commands;
mod layout;
mod properties;
pub(crate) mod stories;
mod words;
