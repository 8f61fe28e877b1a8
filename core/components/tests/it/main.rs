//! The crate as a whole.

mod contents;
mod conversion;
mod decided;
mod definition;
mod installed;
mod kit;
mod projection;
