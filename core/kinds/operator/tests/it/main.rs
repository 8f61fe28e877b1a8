//! Operators from nothing to where they shall be, on a cluster that is a few maps.

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
