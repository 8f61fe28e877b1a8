//! Bundles of ours, rule by rule, and the real ones, where they are at hand.

mod bounds;
mod difference;
mod hostile;
mod kit;
mod permissions;
mod reading;
mod real;
mod rendering;
mod validators;
