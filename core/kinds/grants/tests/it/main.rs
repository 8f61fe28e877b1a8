//! Tests of the crate's public API.

mod bindings;
mod content;
mod decided;
mod escalation;
mod images;
mod stage;
mod stamped;
