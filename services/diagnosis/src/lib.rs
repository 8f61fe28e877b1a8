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
//! Registries return the whole of a bundle only on request. If a Diagnosis names such a bundle, it
//! is requested, and the namespace is diagnosed again.

mod elsewhere;
mod facts;
mod kubernetes;
mod objects;
mod question;
mod serve;
mod service;
mod telling;
#[cfg(test)]
mod tests;
mod unpacks;
mod untold;
mod wire;

use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_core_diagnosis::{diagnose_operator, diagnose_plan};
use portolan_proto::diagnosis::v1::OperatorDiagnosis;

pub use serve::{Flags, listen, serve};
pub use service::{DiagnosisService, Options};

/// Returns the diagnosis of an InstallPlan of `plans.portolan.dev`, in the form that operators
/// have: its subject is the plan, and it has no package.
pub fn of_plan(plan: &InstallPlan) -> OperatorDiagnosis {
    wire::encode_diagnosis(&diagnose_plan(plan))
}

/// Diagnoses an Operator of `operators.operatorframework.io` with its plans. Other plans are
/// ignored.
pub fn of_operator(operator: &Operator, plans: &[&InstallPlan]) -> OperatorDiagnosis {
    wire::encode_diagnosis(&diagnose_operator(operator, plans))
}
