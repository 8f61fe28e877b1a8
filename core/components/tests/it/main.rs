//! The crate as a whole.

mod conversion;
mod decided;
mod definition;
mod installed;
mod kit;
mod projection;
