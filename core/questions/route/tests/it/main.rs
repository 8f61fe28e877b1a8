//! Routes: named test cases, numbered worlds compared with a slow reference, and real catalogs.

mod dice;
mod kit;
mod readiness;
mod real;

mod reference;
mod stories;
mod worlds;
