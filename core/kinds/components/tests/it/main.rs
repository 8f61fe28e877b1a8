//! Tests of the whole crate.

mod associated;
mod contents;
mod conversion;
mod crd;
mod decided;
mod deletion;
mod installed;
mod kit;
mod projection;
