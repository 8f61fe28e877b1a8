//! Tests of the console in a real browser.

mod hostile;
mod keyboard;
mod live;
mod pages;
mod proxied;
mod soak;
pub(crate) mod stage;
mod visitors;
mod written;
