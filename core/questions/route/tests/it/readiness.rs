//! Readiness: named cases with hand-written answers, generated clusters and real catalogs compared
//! with a slow reference.

mod cluster;
mod real;
mod reference;
mod stories;
mod worlds;
