//! Decides if the Policies that are bound to an operator allow an upgrade at a given time.
//!
//! ```text
//! Policies, PolicyBindings -- PolicySet::of --> PolicySet: parsed, with errors
//! PolicySet, Move, time -- review --> UpgradeReview: Verdict, Reasons, and when the answer may change
//! ```
//!
//! - If no PolicyBinding selects the operator, [`Terms::unbound`] decides if the upgrade is
//!   allowed.
//! - If PolicyBindings select the operator, all Policies of these bindings must allow the upgrade.
//!   An invalid Policy allows no upgrade.
//! - A PolicyBinding that is invalid or refers to a missing object is broken. A broken binding has
//!   no effect and is reported as a remark. If [`Terms::broken`] is `Deny`, a broken binding denies
//!   the upgrade instead.
//! - A decision only affects the start of an upgrade. An upgrade that is in progress continues.
//!
//! [`policy_status`] returns the status of a Policy. [`binding_status`] returns the status of a
//! PolicyBinding.
//!
//! The crate has no clock: the caller passes the time.

mod document;
mod reason;
mod review;
mod status;
mod windows;
mod world;

pub use document::{DOCUMENT_VERSION, document};
pub use reason::{Code, Object, Reason};
pub use review::{Evaluate, Terms, UpgradeReview, in_process, review};
pub use status::{binding_status, policy_status};
pub use windows::{TimeLimit, never_overlap};
pub use world::{BindingFacts, BoundPolicy, Fallback, Ground, PolicyFacts, PolicySet};

use std::collections::BTreeMap;

use portolan_api::policy::{Binding, Subject, SubjectKind};

/// An existing operator: an Operator, or the operator that an OperatorPolicy installs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperatorId {
    pub kind: SubjectKind,
    /// The namespace of the OperatorPolicy. Empty for an Operator, because this kind is
    /// cluster-scoped.
    pub namespace: String,
    pub name: String,
}

impl OperatorId {
    /// Iterates over the operators that a binding names without a wildcard. The result also
    /// contains operators that do not exist.
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

    /// Returns the operator for a package that a ClusterExtension of OLM v1 installs. PolicyBindings
    /// cannot name ClusterExtensions. The Policies of an Operator with the name of the package also
    /// describe the package, but no component enforces them for OLM v1.
    pub fn of_package(package: &str) -> Self {
        Self::of(SubjectKind::Operator, "", package)
    }

    pub fn of(kind: SubjectKind, namespace: &str, name: &str) -> Self {
        Self {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }
}

/// An installed or requested version of an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The name of the bundle. Empty if it is unknown.
    pub bundle: String,
    pub version: String,
}

/// A requested installation or upgrade of one operator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    pub operator: OperatorId,
    /// The package. Empty if it is unknown.
    pub package: String,
    /// The labels of the Operator or OperatorPolicy.
    pub labels: BTreeMap<String, String>,
    /// The installed version. None if no version is installed.
    pub from: Option<Version>,
    pub to: Version,
}
