//! Tests routes with named test cases, with numbered random worlds that are compared with a slow
//! reference, and with real catalogs.

mod dice;
mod kit;
mod readiness;
mod real;

mod reference;
mod stories;
mod worlds;
