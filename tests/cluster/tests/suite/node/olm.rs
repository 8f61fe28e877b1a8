//! OLM runs as Pods of the node, and so do its catalogs and the Jobs that unpack bundles.

pub(super) mod catalog;
mod failures;
mod life;
mod stage;
