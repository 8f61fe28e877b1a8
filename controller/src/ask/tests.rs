//! Tests of the whole module with fake services and a paused clock.

mod answers;
mod fakes;
mod in_process;
mod keeping;
mod network;
mod stage;
mod streams;
