//! What becomes of policies on a real control plane, with real OLM where it matters.
//!
//! A story writes policies, and waits until their status says what it should; how long that took
//! is printed.

mod bare;
mod beside;
mod culprit;
mod fleet;
mod forbidden;
mod foreign;
mod inform;
mod killed;
mod lease;
mod needed;
mod outage;
mod permitted;
mod pinned;
mod played;
mod release;
mod removal;
mod scope;
mod service;
mod silent;
mod skipped;
mod stage;
mod together;
mod write;
