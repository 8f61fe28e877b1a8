//! What becomes of policies on a real control plane, with real OLM where it matters.
//!
//! A story writes policies, and waits until their status says what it should; how long that took
//! is printed.

mod bare;
mod beside;
mod fleet;
mod inform;
mod lease;
mod permitted;
mod pinned;
mod release;
mod removal;
mod stage;
mod write;
