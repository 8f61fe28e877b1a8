//! The crate as its callers see it.

mod bindings;
mod content;
mod decided;
mod escalation;
mod images;
mod stage;
mod stamped;
