//! Tests Operators v2alpha1 on a cluster with a real OLM, as delivered: with exactly the
//! permissions of the overlay.

mod adopted;
mod away;
mod beside_olm;
mod catalog;
mod described;
mod image;
mod killed;
mod many;
mod stage;
mod verb;
