//! All of it, over services that say what a test wants, by a clock that stands still.

mod answers;
mod fakes;
mod keeping;
mod network;
mod stage;
mod streams;
