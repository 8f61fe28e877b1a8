//! The input of a decision: all known information about a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::Refusals;
use portolan_api::plan::{Intent, Status};
use portolan_core_names::{GroupKind, ObjectRef};
use serde_json::Value;

use super::plan::{Account, Plan};
use super::pods::judged::PodsSeen;
use super::tried::{Attempt, Drift};
use super::verified::VerifiedMembers;
use crate::discovery::Discovery;
use crate::fields::OwnedField;
use crate::lineages::Lineages;
use crate::manifest::{Contents, JobOwner, Members};
use crate::others::Others;
use crate::permissions::{Answers, Roles, may_read};
use crate::succession::Succession;

/// The known information about a plan and its members. A missing entry in a map means that this
/// information was not read yet.
#[derive(Debug, Clone)]
pub struct Observation {
    pub plan: Plan,
    pub intent: Result<Intent, Refusals>,
    /// The status that was written last.
    pub status: Status,
    pub contents: Contents,
    /// The members read from `intent` and `contents`, if the caller has already read them. If None,
    /// each decision reads them again.
    pub members: Option<Arc<Members>>,
    pub account: Option<Account>,
    pub discovery: Option<Discovery>,
    /// True if the discovery was read after all objects.
    pub is_discovery_fresh: bool,
    pub answers: Answers,
    pub reviews: Reviews,
    /// The roles that members bind, except for roles that are members themselves.
    pub roles: Roles,
    pub objects: BTreeMap<ObjectRef, ObjectRead>,
    /// The dry-run results. Each has the [shape](ObjectRead::shape) of the object that the dry run
    /// was made on. None if there was no object.
    pub trials: BTreeMap<ObjectRef, (Option<String>, Trial)>,
    pub attempts: BTreeMap<ObjectRef, Attempt>,
    /// The changes that would repair members with changed or removed fields.
    pub drifts: BTreeMap<ObjectRef, Drift>,
    /// The kinds that the account may not watch. None if this is not known yet.
    pub unwatched: Option<BTreeSet<GroupKind>>,
    /// The objects of a kind in all namespaces. Like `objects`, these are read again for each
    /// decision.
    pub of_kinds: BTreeMap<GroupKind, Others>,
    /// The objects in a namespace. These are read again for each decision.
    pub in_namespaces: BTreeMap<String, Others>,
    /// The objects from which transformations select, by kind and namespace. None stands for all
    /// namespaces. These objects are read again for each decision.
    pub selected: BTreeMap<(GroupKind, Option<String>), Selected>,
    /// The Pods of workloads that the plan waits for. They are listed again for each
    /// reconciliation.
    pub pods: BTreeMap<ObjectRef, PodsSeen>,
    /// The lineages of existing plans.
    pub living: Arc<Lineages>,
    /// The CRDs that OLM manages. These are read again for each decision.
    pub olm_definitions: Option<OlmDefinitions>,
    /// The other plans in the namespace that are related to this plan.
    pub succession: Succession,
    /// True if the CRD of InstallPlans is being deleted. Then all plans keep the objects that they
    /// created.
    pub is_retired: bool,
    /// The members that the previous decision [verified](crate::Decision::verified). These are not
    /// judged again. This field saves work and has no effect on the decision.
    pub verified: Option<VerifiedMembers>,
    pub now: Timestamp,
}

/// The permission reviews after denied requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reviews {
    pub(super) last: Option<Timestamp>,
    /// True if a request was denied in the pause after the last review.
    pub(super) is_wanted: bool,
}

/// The CRDs that ClusterServiceVersions in the cluster own. OLM labels CRDs. When OLM removes an
/// operator, it keeps the CRDs and their labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OlmDefinitions {
    /// The names of the CRDs.
    Owned(BTreeSet<String>),
    /// ClusterServiceVersions cannot be listed.
    Unknown,
}

/// The objects from which a transformation selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selected {
    All(Vec<SelectableObject>),
    /// The error message of the API server.
    Unreadable(String),
}

/// An object that a transformation may select.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectableObject {
    pub identity: ObjectRef,
    pub uid: String,
    pub labels: BTreeMap<String, String>,
}

impl Observation {
    /// Stores the dry-run result of a member, with the shape of its current object.
    pub fn tried(&mut self, member: ObjectRef, trial: Trial) {
        let seen = self.objects.get(&member).and_then(ObjectRead::shape);
        self.trials.insert(member, (seen, trial));
    }

    /// Stores that a dry run of a member failed because other owners have fields with different
    /// values.
    pub fn conflicted(&mut self, member: &ObjectRef, conflicts: Vec<OwnedField>) {
        if let Some(ObjectRead::Present(object)) = self.objects.get(member) {
            let attempt = Attempt::new(object, conflicts);
            self.attempts.insert(member.clone(), attempt);
        }
    }

    /// Stores the observation of an object. If the API server denies a read that earlier reviews
    /// allowed, the ServiceAccount may have lost permissions.
    pub fn saw(&mut self, object: ObjectRef, object_read: ObjectRead) {
        self.is_discovery_fresh = false;
        let is_denied = matches!(object_read, ObjectRead::Unreadable(_));
        let discovery = self.discovery.as_ref().filter(|_| is_denied);
        if discovery.is_some_and(|kinds| may_read(&self.answers, kinds, &object)) {
            self.denied();
        }
        self.objects.insert(object, object_read);
    }

    /// Stores the changes that a forced apply would make. If the API server denies the dry run, the
    /// ServiceAccount may have lost permissions.
    pub fn compared(&mut self, member: ObjectRef, drift: Drift) {
        if drift.changed.is_err() {
            self.denied();
        }
        self.drifts.insert(member, drift);
    }

    /// Returns the lineage in which an existing member is written: the lineage of its object or, if
    /// the object has no lineage, the lineage of the plan.
    pub fn lineage_of(&self, member: &ObjectRef) -> &str {
        let lineage = match self.objects.get(member) {
            Some(ObjectRead::Present(object)) => self.plan.lineage_of(object),
            Some(ObjectRead::Absent | ObjectRead::Unreadable(_) | ObjectRead::Unanswered(_))
            | None => None,
        };
        lineage.unwrap_or(&self.plan.lineage)
    }

    /// Returns the stored dry-run result, even if the object has changed since the dry run.
    pub(super) fn trial(&self, member: &ObjectRef) -> Option<&Trial> {
        self.trials.get(member).map(|(_, trial)| trial)
    }

    /// Returns the owner of the plan's Jobs and the ServiceAccount of these Jobs.
    pub fn job_owner<'o>(&'o self, intent: &'o Intent) -> JobOwner<'o> {
        JobOwner {
            plan: &self.plan.identity,
            uid: &self.plan.uid,
            lineage: &self.plan.lineage,
            account: &intent.service_account,
        }
    }
}

/// An object, read with the permissions of the ServiceAccount.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectRead {
    Absent,
    /// The whole object, with its managed fields.
    Present(Value),
    /// The error message of the API server.
    Unreadable(String),
    /// Another program serves objects of this kind for the API server, and this program does not
    /// answer. Contains the error message of the API server. The plan itself may have to repair the
    /// program.
    Unanswered(String),
}

impl ObjectRead {
    /// Returns a text that changes whenever an update of the object could have another result. It
    /// contains the uid and the generation, so that changes of the status do not change the text.
    /// For an object without a generation, it contains the resource version instead. Returns None
    /// if there is no object.
    pub fn shape(&self) -> Option<String> {
        let Self::Present(object) = self else {
            return None;
        };
        let metadata = &object["metadata"];
        let has_generation = metadata["generation"].is_number();
        let state = if has_generation {
            &metadata["generation"]
        } else {
            &metadata["resourceVersion"]
        };
        Some(format!("{} {state}", metadata["uid"]))
    }

    /// Returns the resource version of the observed object. Returns None if there is no object.
    pub fn version(&self) -> Option<String> {
        match self {
            Self::Present(object) => {
                let version = object.pointer("/metadata/resourceVersion");
                version.and_then(Value::as_str).map(str::to_owned)
            }
            Self::Absent | Self::Unreadable(_) | Self::Unanswered(_) => None,
        }
    }
}

/// The result of a strict dry run of a manifest, made before the first write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    Accepted,
    Refused(String),
    /// The dry run gives no answer, for example because a webhook has side effects.
    Undecided,
    /// The manifest is valid, but the existing object cannot be updated to it. Only checked for
    /// members that may be recreated in that case.
    Immutable,
}
