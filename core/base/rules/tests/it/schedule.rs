//! Schedules: what their lines may say, and when they are open.

mod lines;
mod reference;
mod windows;
