//! Tests with OLM v1: catalogd and operator-controller, which install from images of catalogs and
//! bundles.

mod checks;
mod page;
mod pages;
mod predictions;
mod published;
mod situations;
mod stage;
