//! Questions about objects that are diagnosed by their own status.

use super::OwnKind;
use crate::Object;

/// The objects in a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnQuestion<'a> {
    /// The only kind. None for all kinds.
    pub kind: Option<OwnKind>,
    /// The only namespace. None for all namespaces and cluster-scoped objects. A namespace contains
    /// no objects of cluster-scoped kinds.
    pub namespace: Option<&'a str>,
    /// True if the question names an object. Then the answer neither summarizes nor omits objects.
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

    /// Returns true if unread objects of a kind need no diagnosis, because few users can read them
    /// and the question is not about them.
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
