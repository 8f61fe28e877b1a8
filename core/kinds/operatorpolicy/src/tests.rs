//! What tests are made of.

pub(crate) mod kit;
mod symptoms;
