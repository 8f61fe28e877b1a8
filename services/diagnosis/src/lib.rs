//! Diagnosis: the cause of a problem with an operator, the object at fault, and the fix.
//!
//! This crate connects `core/questions/diagnosis` to its inputs and to gRPC. Facts about a world
//! come from the health and approval services, and facts about catalogs come from the resolver. The
//! core combines these facts. This crate makes no decisions.
//!
//! ```text
//! world ----> health, approval: grounds --\
//!       \---> facts: what OLM resolves ----+-> Situation of a namespace -> core/questions/diagnosis
//! catalogs -> resolver: Snapshot ---------/
//! ```
//!
//! The objects of Portolan are diagnosed by their own status and by the workloads that they have
//! applied. No other input is needed:
//!
//! ```text
//! world ----> own, workloads: OwnObjects -> core/questions/diagnosis
//! ```
//!
//! The module [`readiness`] judges operators for a cluster upgrade. The service and `portolan
//! readiness` share it.
//!
//! Registries return some details of a bundle only on request. If a diagnosis names such a bundle,
//! these details are requested, and the namespace is diagnosed again.

mod components;
mod elsewhere;
mod facts;
mod kubernetes;
mod objects;
mod own;
mod packages;
mod question;
pub mod readiness;
mod serve;
mod service;
mod telling;
#[cfg(test)]
mod tests;
mod unpacks;
mod untold;
mod wire;
mod workloads;

pub use serve::{Flags, listen, serve};
pub use service::{DiagnosisService, Options};
