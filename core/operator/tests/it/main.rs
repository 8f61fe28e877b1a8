//! Operators from nothing to where they shall be, on a cluster that is a few maps.

mod cluster;
mod consent;
mod deletion;
mod install;
mod lockstep;
mod neighbors;
mod offers;
mod question;
mod revert;
