//! ClusterServiceVersions: operators, as OLM has them.

use std::collections::BTreeSet;

use crate::{Observed, Phase, Requirement};

mod phase;

pub(crate) use phase::{NOT_UPGRADEABLE, REQUIREMENTS_NOT_MET};

/// An operator of OLM.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Csv {
    /// Which object.
    pub observed: Observed,
    /// The package that its bundle is of; empty if nothing tells.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The one whose place it takes; empty if it takes none.
    pub replaces: String,
    /// How far OLM has come with it.
    pub phase: Phase,
    /// Why it is in that phase, in OLM's word.
    pub reason: String,
    /// Why it is in that phase, in OLM's sentence.
    pub message: String,
    /// Whether it is being deleted.
    pub is_deleting: bool,
    /// In which ways it can watch namespaces. One that is not named is not supported.
    pub modes: BTreeSet<InstallMode>,
    /// What it runs.
    pub deployments: Vec<WantedDeployment>,
    /// Kinds that it brings as custom resources.
    pub owned: Vec<Api>,
    /// Kinds that it needs as custom resources.
    pub required: Vec<Api>,
    /// Kinds that it serves.
    pub serves: Vec<Api>,
    /// Kinds that it needs to be served.
    pub needs_served: Vec<Api>,
    /// What OLM found of what it needs.
    pub requirements: Vec<Requirement>,
}

/// A way to watch namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstallMode {
    /// Its own.
    OwnNamespace,
    /// One other.
    SingleNamespace,
    /// Several.
    MultiNamespace,
    /// All of them.
    AllNamespaces,
}

/// A Deployment as an operator wants it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WantedDeployment {
    /// Its name.
    pub name: String,
    /// How many replicas; Kubernetes takes one where nothing is said.
    pub replicas: Option<i32>,
}

/// A kind that an operator brings or needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Api {
    /// The name of the object that makes it known: of its definition, `ferries.demo.example`, or of
    /// its APIService, `v1.demo.example`.
    pub name: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

// === impl InstallMode ===

impl InstallMode {
    /// As OLM writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OwnNamespace => "OwnNamespace",
            Self::SingleNamespace => "SingleNamespace",
            Self::MultiNamespace => "MultiNamespace",
            Self::AllNamespaces => "AllNamespaces",
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
