//! Questions about objects that are diagnosed by the status of the object itself.

use super::OwnKind;
use crate::Object;

/// The objects that a question is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnQuestion<'a> {
    /// Only objects of this kind. None for all kinds.
    pub kind: Option<OwnKind>,
    /// Only objects in this namespace. None for all namespaces and for cluster-scoped objects. With
    /// a namespace, the answer contains no cluster-scoped objects.
    pub namespace: Option<&'a str>,
    /// True if the question names an object. In this case, the answer neither summarizes nor omits
    /// objects.
    pub is_by_name: bool,
}

// === impl OwnQuestion ===

impl OwnQuestion<'_> {
    /// Returns true if the answer depends on the workloads of Portolan.
    pub fn needs_components(self) -> bool {
        self.kind.is_none_or(|kind| kind == OwnKind::Component)
    }

    /// Returns true if the answer depends on workloads that InstallPlans have applied.
    pub fn needs_workloads(self) -> bool {
        match self.kind {
            None | Some(OwnKind::Operator | OwnKind::InstallPlan | OwnKind::Install) => true,
            Some(
                OwnKind::OperatorPolicy
                | OwnKind::Policy
                | OwnKind::PolicyBinding
                | OwnKind::ComponentOperator
                | OwnKind::ClusterExtension
                | OwnKind::ClusterCatalog
                | OwnKind::Component,
            ) => false,
        }
    }

    /// Returns true if the answer contains ClusterExtensions.
    pub fn needs_extensions(self) -> bool {
        self.includes(OwnKind::ClusterExtension)
    }

    /// Returns true if the answer needs no diagnosis for a kind that could not be read. Few users
    /// have the permission to read such a kind, and the question is about all kinds.
    pub(super) fn may_lack(self, kind: OwnKind) -> bool {
        let is_rare = [OwnKind::ComponentOperator, OwnKind::Component].contains(&kind);
        is_rare && self.kind.is_none()
    }

    pub(super) fn includes(self, kind: OwnKind) -> bool {
        let is_seen = kind.is_namespaced() || self.namespace.is_none();
        is_seen && self.kind.is_none_or(|only| only == kind)
    }

    pub(super) fn is_within(self, object: &Object) -> bool {
        self.namespace.is_none_or(|only| only == object.namespace)
    }
}
