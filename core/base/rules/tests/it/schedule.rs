//! Schedules: the grammar of their lines, and their windows.

mod lines;
mod reference;
mod windows;
