//! The diagnosis service: finds the cause of a problem with an operator, the object at fault, and
//! the fix.
//!
//! This crate connects the crate `core/questions/diagnosis` to its inputs and to gRPC. Facts about
//! objects come from the health service and the approval service. Facts about catalogs come from
//! the resolver. The core crate combines these facts. All decisions are in the core crate.
//!
//! ```text
//! world ----> health, approval: grounds --\
//!       \---> facts: what OLM resolves ----+-> Situation of a namespace -> core/questions/diagnosis
//! catalogs -> resolver: Snapshot ---------/
//! ```
//!
//! Portolan's own objects are diagnosed with their status and with the workloads that they have
//! applied. No other input is needed:
//!
//! ```text
//! world ----> own, workloads: OwnObjects -> core/questions/diagnosis
//! ```
//!
//! The module [`readiness`] judges operators for a cluster upgrade. The service and `portolan
//! readiness` share it.
//!
//! Registries return some details of a bundle only on request. If a diagnosis needs such details,
//! the service requests them and diagnoses the namespace again.

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
