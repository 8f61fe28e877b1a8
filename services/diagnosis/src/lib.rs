//! Diagnosis: what is wrong with the operators of a world, who is to blame, and what to do.
//!
//! A shell around `core/diagnosis`. It has health and approval look at a world, and the resolver at
//! catalogs, gathers what each of them judges from, and lets the core put it together; it decides
//! nothing.
//!
//! ```text
//! world ----> health, approval: grounds --\
//!       \---> facts: what OLM resolves ----+-> Situation of a namespace -> core/diagnosis
//! catalogs -> resolver: Snapshot ---------/
//! ```
//!
//! Registries tell the whole of a bundle only to those who ask for it. Where a Diagnosis names such
//! a bundle, that is asked for, and the namespace diagnosed once more.

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
pub use service::{Diagnosis, Options};

/// Returns the diagnosis of an InstallPlan of `plans.portolan.dev`, in the form that operators
/// have: its subject is the plan, and it has no package.
pub fn of_plan(plan: &InstallPlan) -> OperatorDiagnosis {
    wire::encode_diagnosis(&diagnose_plan(plan))
}

/// The same of an Operator of `operators.operatorframework.io`, with what its plans say, which may be among
/// others.
pub fn of_operator(operator: &Operator, plans: &[&InstallPlan]) -> OperatorDiagnosis {
    wire::encode_diagnosis(&diagnose_operator(operator, plans))
}
