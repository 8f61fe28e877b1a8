//! Tests of Operators (operators.operatorframework.io) on a real control plane. Most tests need no
//! OLM. A test creates catalogs and bundles, and waits for running Deployments.

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
