//! The input of a decision: everything that the controller knows about a plan.

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

/// The known facts about a plan and its members. A missing entry in a map means that this fact was
/// not looked up yet.
#[derive(Debug, Clone)]
pub struct Observation {
    pub plan: Plan,
    pub intent: Result<Intent, Refusals>,
    /// The status that the controller wrote last.
    pub status: Status,
    pub contents: Contents,
    /// The members that the caller has already read from `intent` and `contents`. If None, each
    /// decision reads them again.
    pub members: Option<Arc<Members>>,
    pub account: Option<Account>,
    pub discovery: Option<Discovery>,
    /// True if the controller read the discovery after all objects.
    pub is_discovery_fresh: bool,
    pub answers: Answers,
    pub reviews: Reviews,
    /// The roles that members bind. Roles that are members themselves are omitted.
    pub roles: Roles,
    pub objects: BTreeMap<ObjectRef, ObjectRead>,
    /// The dry-run results. Each has the [shape](ObjectRead::shape) of the object on which the dry
    /// run was made, or None if the object did not exist.
    pub trials: BTreeMap<ObjectRef, (Option<String>, Trial)>,
    pub attempts: BTreeMap<ObjectRef, Attempt>,
    /// For members with changed or removed fields, the changes that a forced apply would make to
    /// repair them.
    pub drifts: BTreeMap<ObjectRef, Drift>,
    /// The kinds that the ServiceAccount may not watch. None if this is not known yet.
    pub unwatched: Option<BTreeSet<GroupKind>>,
    /// The objects of a kind in all namespaces. The controller reads them again for each decision,
    /// as it reads `objects`.
    pub of_kinds: BTreeMap<GroupKind, Others>,
    /// The objects in a namespace. The controller reads them again for each decision.
    pub in_namespaces: BTreeMap<String, Others>,
    /// The objects from which transformations select, by kind and namespace. In the key, None means
    /// all namespaces. The controller reads the objects again for each decision.
    pub selected: BTreeMap<(GroupKind, Option<String>), Selected>,
    /// The Pods of the workloads that the plan waits for. The controller lists them again in each
    /// reconciliation.
    pub pods: BTreeMap<ObjectRef, PodsSeen>,
    /// The lineages of all known plans, and if all plans are known.
    pub living: Arc<Lineages>,
    /// The CRDs that OLM manages. The controller reads them again for each decision.
    pub olm_definitions: Option<OlmDefinitions>,
    /// The other plans in the namespace that are related to this plan.
    pub succession: Succession,
    /// True if the CRD of InstallPlans is being deleted. In this case, all plans keep the objects
    /// that they created.
    pub is_retired: bool,
    /// The members that the previous decision [verified](crate::Decision::verified). They are not
    /// checked again. This saves work, but does not change the decision.
    pub verified: Option<VerifiedMembers>,
    pub now: Timestamp,
}

/// The times of permission reviews after denied requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reviews {
    pub(super) last: Option<Timestamp>,
    /// True if the API server denied a request during the delay after the last review, so that
    /// another review is needed.
    pub(super) is_wanted: bool,
}

/// The CRDs that a ClusterServiceVersion in the cluster owns. OLM's label on a CRD is no evidence:
/// when OLM removes an operator, it keeps the CRDs and their labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OlmDefinitions {
    /// The names of the CRDs that a ClusterServiceVersion owns.
    Owned(BTreeSet<String>),
    /// ClusterServiceVersions cannot be listed.
    Unknown,
}

/// The objects from which a transformation selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selected {
    All(Vec<SelectableObject>),
    /// The objects cannot be listed. Contains the error message of the API server.
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

    /// Stores the result of reading an object. If the API server denies a read that earlier reviews
    /// allowed, the ServiceAccount may have lost permissions. In this case, its permissions are
    /// reviewed again.
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
    /// ServiceAccount may have lost permissions. In this case, its permissions are reviewed again.
    pub fn compared(&mut self, member: ObjectRef, drift: Drift) {
        if drift.changed.is_err() {
            self.denied();
        }
        self.drifts.insert(member, drift);
    }

    /// Returns the lineage in which a member is written: the lineage of its existing object. If the
    /// object has no lineage of the plan, returns the lineage of the plan.
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
    /// The object cannot be read. Contains the error message of the API server.
    Unreadable(String),
    /// Another program serves objects of this kind for the API server, and it does not answer.
    /// Contains the error message of the API server. The plan itself may contain the program and
    /// must not wait for it.
    Unanswered(String),
}

impl ObjectRead {
    /// Returns a text that changes whenever an update of the object could have another result.
    ///
    /// The text contains the uid and the generation, so a change of the status does not change the
    /// text. If the object has no generation, the text contains its resource version instead.
    /// Returns None if the object does not exist.
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

    /// Returns the resource version of the observed object. Returns None if the object does not
    /// exist.
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

/// The result of a dry run with strict field validation, made before the first write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    Accepted,
    Refused(String),
    /// The dry run has no result, for example because a webhook has side effects.
    Undecided,
    /// The manifest is valid, but it changes an immutable field of the existing object. Only
    /// checked for members that the plan may delete and recreate.
    Immutable,
}
