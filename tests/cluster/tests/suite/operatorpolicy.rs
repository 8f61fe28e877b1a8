//! What becomes of policies on a real control plane, with real OLM where it matters.
//!
//! A story writes policies, and waits until their status says what it should; how long that took
//! is printed.

mod bare;
mod fleet;
mod inform;
mod killed;
mod lease;
mod outage;
mod pinned;
mod played;
mod removal;
mod service;
mod silent;
mod stage;
mod write;
