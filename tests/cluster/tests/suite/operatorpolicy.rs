//! Tests of policies on a real control plane. Some tests also need a real OLM.
//!
//! A test writes policies, and waits until their status contains the expected lines. It prints how
//! long this took.

mod adrift;
mod bare;
mod beside;
mod breakable;
mod culprit;
mod emptied;
mod established;
mod fake_olm;
pub(crate) mod fleet;
mod forbidden;
mod foreign;
mod inform;
mod interrupted;
mod killed;
mod killed_with_olm;
mod lease;
mod left_open;
mod needed;
mod outage;
mod pending;
mod permitted;
mod pinned;
mod real;
mod release;
mod removal;
mod replaced;
mod scope;
pub(crate) mod service;
mod silent;
mod skipped;
pub(crate) mod stage;
mod together;
mod unattended;
pub(crate) mod windows;
mod woken;
mod write;
