//! Operators of operators.operatorframework.io on a real control plane, most of them without OLM:
//! from the catalogs and bundles of a test to running Deployments.

pub(crate) mod adopted;
mod again;
mod beside_olm;
mod crds;
mod deletion;
mod delivered;
mod diagnosed;
mod generated;
mod guarded;
mod killed;
mod lying;
mod meanwhile;
mod needed;
mod published;
mod rest;
mod reverted;
mod slow;
pub(crate) mod stage;
mod standin;
mod together;
mod upgradeable;
mod versions;
mod windows;
