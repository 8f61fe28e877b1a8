//! Test fixtures.

pub(crate) mod kit;
mod symptoms;
