//! The crate as a whole.

mod associated;
mod contents;
mod conversion;
mod decided;
mod definition;
mod deletion;
mod installed;
mod kit;
mod projection;
