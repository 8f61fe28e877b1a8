//! The crate as a whole.

mod conversion;
mod decided;
mod definition;
mod kit;
mod projection;
