//! Health: whether operators and their catalogs do their work.
//!
//! A shell around `core/health`. It follows the objects of a world, asks the registries behind
//! CatalogSources, lets the core judge what changed, and tells those who ask; it decides nothing.

pub mod probe;
