//! Diagnosis: the cause of a problem with an operator, the object at fault, and the fix.
//!
//! A shell around `core/questions/diagnosis`. It uses health and approval for a world, and the resolver for
//! catalogs, gathers their facts, and lets the core combine them; it decides nothing.
//!
//! ```text
//! world ----> health, approval: grounds --\
//!       \---> facts: what OLM resolves ----+-> Situation of a namespace -> core/questions/diagnosis
//! catalogs -> resolver: Snapshot ---------/
//! ```
//!
//! The objects of Portolan are diagnosed by their status. They need none of the above:
//!
//! ```text
//! world ----> own: OwnObjects -> core/questions/diagnosis
//! ```
//!
//! Registries return the whole of a bundle only on request. If a Diagnosis names such a bundle, it
//! is requested, and the namespace is diagnosed again.

mod elsewhere;
mod facts;
mod kubernetes;
mod objects;
mod own;
mod question;
mod serve;
mod service;
mod telling;
#[cfg(test)]
mod tests;
mod unpacks;
mod untold;
mod wire;

pub use serve::{Flags, listen, serve};
pub use service::{DiagnosisService, Options};
