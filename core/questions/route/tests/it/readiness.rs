//! Tests readiness with named cases and hand-written answers. Also compares generated clusters and
//! real catalogs with a slow reference.

mod cluster;
mod real;
mod reference;
mod stories;
mod worlds;
