//! Operators v2alpha1 beside a real OLM, as they are delivered: with the rights of the overlay and no more.

mod adopted;
mod away;
mod beside_olm;
mod catalog;
mod image;
mod killed;
mod many;
mod stage;
mod told;
mod verb;
