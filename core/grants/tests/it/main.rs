//! The crate as its callers see it.

mod bindings;
mod content;
mod decided;
mod images;
mod stage;
mod stamped;
