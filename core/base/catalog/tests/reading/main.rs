//! Tests of parsed catalogs. Each case is a text with all expected results.

mod bundles;
mod channels;
mod deprecations;
mod digests;
mod files;
mod hostile;
mod lines;
mod needs;
mod oddities;
mod packages;
mod scalars;
