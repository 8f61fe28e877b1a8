//! The plan that a decision is about.

use std::collections::BTreeSet;

use jiff::Timestamp;
use portolan_api::plan::DIGEST;
use portolan_core_names::{GroupKind, ObjectRef};
use serde_json::Value;

use super::decision::Step;
use crate::fields::Owner;
use crate::lineages::{is_written_by, labeled, managed, manager};
use crate::manifest::Member;

/// The fields of the plan that a decision needs, without its content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub identity: ObjectRef,
    pub uid: String,
    pub generation: i64,
    /// The uid of the first plan in the chain of plans that replace each other. For the first plan,
    /// this is its own uid. Equal to [`Succession::lineage`](crate::Succession::lineage).
    pub lineage: String,
    /// The other lineages whose objects this plan contains. Equal to
    /// [`Succession::merged`](crate::Succession::merged).
    pub merged: BTreeSet<String>,
    /// The time at which the deletion of the plan was requested. None if the plan is not being
    /// deleted.
    pub terminating_since: Option<Timestamp>,
    /// True if the plan has the [`FINALIZER`](portolan_api::plan::FINALIZER).
    pub has_finalizer: bool,
    /// True if the plan [keeps all objects that it
    /// created](portolan_api::plan::InstallPlan::is_abandoned).
    pub is_abandoned: bool,
    /// The value of [`InstallPlan::retry`](portolan_api::plan::InstallPlan::retry).
    pub retry: Option<String>,
}

impl Plan {
    /// Returns all lineages whose objects this plan contains. The plan's own lineage comes first.
    pub fn lineages(&self) -> impl Iterator<Item = &String> {
        [&self.lineage].into_iter().chain(&self.merged)
    }

    /// Returns the lineage of an object according to its label. If the label names no lineage of
    /// the plan, the owners of its fields decide. Returns None if the object belongs to no lineage
    /// of the plan.
    pub(super) fn lineage_of(&self, object: &Value) -> Option<&str> {
        let label = labeled(object);
        let mut labelled = self.lineages().filter(|own| label == Some(own.as_str()));
        let mut writers = self.lineages().filter(|own| is_written_by(own, object));
        let lineage = labelled.next().or_else(|| writers.next());
        lineage.map(String::as_str)
    }

    /// Returns true if the last apply to the object wrote the manifest of this member, and the
    /// object belongs to a lineage of the plan.
    pub(super) fn has_manifest(&self, member: &Member, object: &Value) -> bool {
        let Some(lineage) = self.lineage_of(object) else {
            return false;
        };
        let owner = Owner::applies(&manager(lineage));
        let is_marked = labeled(object) == Some(lineage);
        let annotations = object.pointer("/metadata/annotations");
        let digest = annotations.and_then(|annotations| annotations.get(DIGEST)?.as_str());
        is_marked && digest == Some(&member.digest) && owner.has_any(object)
    }

    /// Returns true if a field manager belongs to a lineage of the plan.
    pub(super) fn is_manager(&self, manager: &str) -> bool {
        managed(manager).is_some_and(|lineage| self.lineages().any(|own| own == lineage))
    }

    /// Returns the identity of a Job of the plan.
    pub fn job(&self, name: &str) -> ObjectRef {
        ObjectRef {
            kind: GroupKind::job(),
            namespace: self.identity.namespace.clone(),
            name: name.to_owned(),
        }
    }

    /// Returns the step that adds or removes the finalizer. Returns None if no change is needed.
    pub(super) fn finalizer(&self, is_wanted: bool) -> Option<Step> {
        match (is_wanted, self.has_finalizer) {
            (true, false) => Some(Step::AddFinalizer),
            (false, true) => Some(Step::RemoveFinalizer),
            (true, true) | (false, false) => None,
        }
    }
}

/// The state of a plan's ServiceAccount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Account {
    There,
    Missing,
    /// The namespace of the plan is being deleted, so the controller can no longer act as the
    /// ServiceAccount.
    Leaving,
    /// The namespace does not allow plans to act as its ServiceAccounts.
    NotEnabled,
    /// The controller lacks the permission to act as the ServiceAccount.
    NotGranted,
}
