//! Tests with OLM as Pods of the node. Its catalogs and the Jobs that unpack bundles are also Pods.

pub(super) mod catalog;
mod certificates;
mod failures;
mod life;
mod stage;
