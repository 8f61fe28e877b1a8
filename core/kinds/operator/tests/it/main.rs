//! Tests of Operators from the first installation to their target version. The tests run on a
//! simulated cluster in memory.

mod accepted;
mod adoption;
mod cluster;
mod consent;
mod deletion;
mod dependencies;
mod edited;
mod install;
mod leaving;
mod lockstep;
mod lost;
mod many;
mod neighbors;
mod offers;
mod olm;
mod previewed;
mod question;
mod revert;
mod stored;
mod touched;
mod updater;
