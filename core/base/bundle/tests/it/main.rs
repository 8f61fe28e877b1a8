//! Tests of single rules with small bundles, and tests with real bundles if they are available.

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
