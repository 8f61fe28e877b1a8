//! Tables of texts and of the catalogs that are read from them. Each case has a text and all its
//! results.

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
