//! Operators of operators.operatorframework.io on a real control plane, nearly all of them without OLM: from
//! catalogs and bundles that a story writes to Deployments that run.

mod adopted;
mod again;
mod beside_olm;
mod definitions;
mod deletion;
mod delivered;
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
