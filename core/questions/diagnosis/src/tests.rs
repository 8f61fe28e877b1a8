//! Scenarios of whole namespaces, and properties of all scenarios.

pub(crate) mod kit;

mod claims;
mod codes;
mod commands;
mod layout;
mod properties;
pub(crate) mod stories;
mod words;
