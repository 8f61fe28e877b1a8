//! What is read of which text, as tables. A case is a text and all that comes of it.

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
