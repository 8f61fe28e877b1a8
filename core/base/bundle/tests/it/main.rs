//! Tests of single rules with our own bundles, and tests with real bundles if available.

mod bounds;
mod difference;
mod hostile;
mod kit;
mod permissions;
mod reading;
mod real;
mod removed;
mod rendering;
mod validators;
