//! Consent: whether an operator may move from one version to another at a time, by the Policies that are
//! bound to it.
//!
//! ```text
//! Policies, PolicyBindings -- World::of --> World: parsed, and what of it is broken
//! World, Move, time -- review --> Review: Verdict, Reasons, and when the answer may change
//! ```
//!
//! - No binding names it: it may, unless [`Terms::unbound`] says otherwise.
//! - All bindings that name it must allow, and so must all their Policies. A Policy that cannot be read
//!   allows nothing.
//! - A binding that names something that is not there has no effect, and that is told; unless
//!   [`Terms::broken`] says otherwise.
//! - It is about the start of a move. One that has begun goes on.
//!
//! [`policy_status`] and [`binding_status`] say what the statuses of both kinds tell of it.
//!
//! The crate has no clock: the time is a part of the question.

mod document;
mod reason;
mod review;
mod status;
mod world;

pub use document::{DOCUMENT_VERSION, document};
pub use reason::{Code, Object, Reason};
pub use review::{Evaluate, Review, Terms, in_process, review};
pub use status::{binding_status, policy_status};
pub use world::{BindingFacts, BoundPolicy, Fallback, Ground, PolicyFacts, World};

use std::collections::BTreeMap;

use portolan_api::policy::{Binding, Subject, SubjectKind};

/// An operator that is there: an Operator, or an OperatorPolicy, whose operator it is then.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperatorId {
    pub kind: SubjectKind,
    /// Empty for an Operator.
    pub namespace: String,
    pub name: String,
}

impl OperatorId {
    /// The operators that a binding names one by one, be they there or not.
    pub fn named_by(binding: &Binding) -> impl Iterator<Item = Self> {
        binding.subjects.iter().filter_map(|subject| match subject {
            Subject::One {
                kind,
                namespace,
                name,
            } => Some(Self::of(*kind, namespace, name)),
            Subject::All { .. } => None,
        })
    }

    pub fn of(kind: SubjectKind, namespace: &str, name: &str) -> Self {
        Self {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }
}

/// A version that an operator has or is to have.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The name of its bundle, as far as it is known.
    pub bundle: String,
    pub version: String,
}

/// The move that is asked about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    pub operator: OperatorId,
    /// Empty if it is not known.
    pub package: String,
    /// Of the object that stands for the operator.
    pub labels: BTreeMap<String, String>,
    /// None if nothing is installed.
    pub from: Option<Version>,
    pub to: Version,
}
