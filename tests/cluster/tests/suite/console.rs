//! The console in a real browser: what people see, and what they do.

mod hostile;
mod keyboard;
mod live;
mod pages;
mod proxied;
mod soak;
mod stage;
mod visitors;
mod written;
