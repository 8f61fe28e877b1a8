//! The crate as a whole.

mod associated;
mod contents;
mod conversion;
mod crd;
mod decided;
mod deletion;
mod installed;
mod kit;
mod projection;
