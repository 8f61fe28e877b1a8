//! The input and the output of a decision: the known facts, the facts to look up, and the steps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::Refusals;
use portolan_api::plan::{Intent, Order, Reason, Status};
use portolan_core_names::{GroupKind, ObjectRef};
use serde_json::Value;

use super::calm::Calm;
use super::pods::PodsSeen;
use super::reviews::Reviews;
use super::tally::Drifting;
use super::tried::{Attempt, Drift};
use crate::discovery::Discovery;
use crate::fields::Conflict;
use crate::lineages::{Lineages, is_written_by, labeled, managed};
use crate::manifest::{Contents, JobOwner, Members};
use crate::others::Others;
use crate::permissions::{Access, Answers, Roles, may_read};
use crate::succession::Succession;

/// The known facts about a plan and its members. A fact that is missing from a map has not been
/// looked up yet.
#[derive(Debug, Clone)]
pub struct Observation {
    pub plan: Plan,
    pub intent: Result<Intent, Refusals>,
    /// The status as last written.
    pub status: Status,
    pub contents: Contents,
    /// The members read from `intent` and `contents`, if the caller has read them already.
    /// Otherwise, each decision reads them.
    pub members: Option<Arc<Members>>,
    pub account: Option<Account>,
    pub discovery: Option<Discovery>,
    /// True if the discovery was read after all of the objects.
    pub is_discovery_fresh: bool,
    pub answers: Answers,
    pub reviews: Reviews,
    /// The roles that members bind and that are not members themselves.
    pub roles: Roles,
    pub objects: BTreeMap<ObjectRef, Sight>,
    /// The dry-run results. Each has the [shape](Sight::shape) of the object that it is based on;
    /// None if there was no object.
    pub trials: BTreeMap<ObjectRef, (Option<String>, Trial)>,
    pub attempts: BTreeMap<ObjectRef, Attempt>,
    /// The changes that would repair members that lost fields.
    pub drifts: BTreeMap<ObjectRef, Drift>,
    /// The kinds that the account may not watch; None if that is not known yet.
    pub unwatched: Option<BTreeSet<GroupKind>>,
    /// The objects of a kind in all namespaces. Like `objects`, they are read again for each
    /// decision.
    pub of_kinds: BTreeMap<GroupKind, Others>,
    /// The objects in a namespace, which are read again for each decision.
    pub in_namespaces: BTreeMap<String, Others>,
    /// The objects of a kind in a namespace, or in all, that transformations select from. They are
    /// read again for each decision.
    pub selected: BTreeMap<(GroupKind, Option<String>), Selected>,
    /// The Pods of workloads that the plan waits for. They are listed again for each
    /// reconciliation.
    pub pods: BTreeMap<ObjectRef, PodsSeen>,
    /// The lineages that have a plan.
    pub living: Arc<Lineages>,
    /// The CRDs that OLM manages. They are read again for each decision.
    pub olm_definitions: Option<OlmDefinitions>,
    /// The relation of the other plans in its namespace to it.
    pub succession: Succession,
    /// True if the CRD of plans is being deleted. Then all plans keep the objects that they made.
    pub is_retired: bool,
    /// The members that the previous decision [found](Decision::calm) to be as intended. They are
    /// not judged again. The decision is the same without this field.
    pub calm: Option<Calm>,
    pub now: Timestamp,
}

/// The CRDs that ClusterServiceVersions in the cluster own. OLM labels CRDs, and leaves them and
/// their labels behind when it removes an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OlmDefinitions {
    /// The names of the CRDs.
    Owned(BTreeSet<String>),
    /// ClusterServiceVersions cannot be listed.
    Unknown,
}

/// The objects that a transformation selects from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selected {
    All(Vec<Candidate>),
    /// The error message of the API server.
    Unreadable(String),
}

/// An object that may be selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub identity: ObjectRef,
    pub uid: String,
    pub labels: BTreeMap<String, String>,
}

impl Observation {
    /// Stores the result of a dry run for a member, together with the shape of its current object.
    pub fn tried(&mut self, member: ObjectRef, trial: Trial) {
        let seen = self.objects.get(&member).and_then(Sight::shape);
        self.trials.insert(member, (seen, trial));
    }

    /// Stores that a dry run of a member met fields that others own with other values.
    pub fn conflicted(&mut self, member: &ObjectRef, conflicts: Vec<Conflict>) {
        if let Some(Sight::Present(object)) = self.objects.get(member) {
            let attempt = Attempt::new(object, conflicts);
            self.attempts.insert(member.clone(), attempt);
        }
    }

    /// Stores the observation of an object. If the API server denies a read that the known answers
    /// allow, the ServiceAccount may have lost permissions.
    pub fn saw(&mut self, object: ObjectRef, sight: Sight) {
        self.is_discovery_fresh = false;
        let is_denied = matches!(sight, Sight::Unreadable(_));
        let discovery = self.discovery.as_ref().filter(|_| is_denied);
        if discovery.is_some_and(|kinds| may_read(&self.answers, kinds, &object)) {
            self.denied();
        }
        self.objects.insert(object, sight);
    }

    /// Stores the changes that a forced apply would make. If the dry run is rejected, a permission
    /// may have been lost.
    pub fn compared(&mut self, member: ObjectRef, drift: Drift) {
        if drift.changed.is_err() {
            self.denied();
        }
        self.drifts.insert(member, drift);
    }

    /// Returns the lineage under which an existing member is written: the lineage of its object, or
    /// else the plan's own.
    pub fn lineage_of(&self, member: &ObjectRef) -> &str {
        let lineage = match self.objects.get(member) {
            Some(Sight::Present(object)) => self.plan.lineage_of(object),
            Some(Sight::Absent | Sight::Unreadable(_) | Sight::Unanswered(_)) | None => None,
        };
        lineage.unwrap_or(&self.plan.lineage)
    }

    /// Returns the result of a dry run, even if the object has changed since.
    pub(super) fn trial(&self, member: &ObjectRef) -> Option<&Trial> {
        self.trials.get(member).map(|(_, trial)| trial)
    }

    /// Returns the owner of the plan's Jobs, and the ServiceAccount that they run as.
    pub fn job_owner<'o>(&'o self, intent: &'o Intent) -> JobOwner<'o> {
        JobOwner {
            plan: &self.plan.identity,
            uid: &self.plan.uid,
            lineage: &self.plan.lineage,
            account: &intent.service_account,
        }
    }
}

/// The plan itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub identity: ObjectRef,
    pub uid: String,
    pub generation: i64,
    /// The uid of the first plan of the lineage, which is its own uid for a first plan. It equals
    /// [`Succession::lineage`].
    pub lineage: String,
    /// The other lineages whose objects it has: [`Succession::merged`].
    pub merged: BTreeSet<String>,
    /// The time at which it was deleted; None if it was not.
    pub terminating_since: Option<Timestamp>,
    /// True if it has the [`FINALIZER`](portolan_api::plan::FINALIZER).
    pub has_finalizer: bool,
    /// True if it [keeps all that it made](portolan_api::plan::InstallPlan::is_abandoned).
    pub is_abandoned: bool,
    /// The value of [`InstallPlan::retry`](portolan_api::plan::InstallPlan::retry).
    pub retry: Option<String>,
}

impl Plan {
    /// Returns all lineages whose objects the plan has, its own first.
    pub fn lineages(&self) -> impl Iterator<Item = &String> {
        [&self.lineage].into_iter().chain(&self.merged)
    }

    /// Returns the lineage of an object by its label, or else by the owners of its fields. None if
    /// the object belongs to no lineage of the plan.
    pub(super) fn lineage_of(&self, object: &Value) -> Option<&str> {
        let label = labeled(object);
        let mut labelled = self.lineages().filter(|own| label == Some(own.as_str()));
        let mut writers = self.lineages().filter(|own| is_written_by(own, object));
        let lineage = labelled.next().or_else(|| writers.next());
        lineage.map(String::as_str)
    }

    /// Returns true if a field manager belongs to one of its lineages.
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

    /// Returns the step that adds or removes the finalizer; None if no change is needed.
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
    /// The namespace of the plan is being deleted, so the ServiceAccount can no longer be used.
    Leaving,
    /// Plans in the namespace are not allowed to act as its ServiceAccounts.
    NotEnabled,
    /// The controller itself may not act as it.
    NotGranted,
}

/// An object as the ServiceAccount sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum Sight {
    Absent,
    /// The whole object, with its managed fields.
    Present(Value),
    /// The error message of the API server.
    Unreadable(String),
    /// The API server delegates such objects to another program, which does not answer. Contains
    /// the error message of the API server. The plan itself may have to repair that program.
    Unanswered(String),
}

impl Sight {
    /// Returns a text for the state of an object that decides the result of an update. It has the
    /// uid and the generation, which ignores status changes. An object without a generation has its
    /// resource version instead. None if there is no object.
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

    /// Returns the resource version of the observed object; None if there is no object.
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

/// The result of a strict dry run of a manifest before the first write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    Accepted,
    Refused(String),
    /// The dry run gives no answer, for example because of a webhook that has side effects.
    Undecided,
    /// The object is valid, but the existing one cannot be updated to it. This is only checked for
    /// members that are recreated in that case.
    Immutable,
}

/// A fact to look up before anything else can be decided.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// The ServiceAccount, and the permission to use it.
    Account,
    /// The kinds that are served now.
    Discovery,
    ResourceManifest(String),
    Secret(String),
    Review(Access),
    /// A role that a member binds, as the controller itself sees it.
    Role(ObjectRef),
    Object(ObjectRef),
    /// The result of a dry run of a manifest.
    Trial(ObjectRef),
    /// The dry-run result for the first run of a Job, by its place among all jobs. It is stored
    /// under the identity of that run.
    JobTrial(usize),
    /// The changes that a forced apply would make.
    ForcedTrial(ObjectRef),
    /// The changes with which a forced apply would repair a member that lost fields.
    Drift(ObjectRef),
    /// The objects of a kind in all namespaces, as the ServiceAccount sees them.
    OfKind(GroupKind),
    /// The objects of a kind in a namespace, or in all, with their labels.
    Selected(GroupKind, Option<String>),
    /// The objects in a namespace, of all kinds that can be listed and deleted.
    InNamespace(String),
    /// The Pods that a workload selects, as the ServiceAccount sees them.
    Pods(ObjectRef),
    /// The CRDs that ClusterServiceVersions own, as the controller itself sees them.
    OlmDefinitions,
}

/// One write. The manifest of a member is [`Member::applied`](crate::Member::applied), and its
/// place is its index among all members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Creates an object of this lineage with an apply that fails if the object exists.
    Create { member: usize, lineage: String },
    /// Applies to the object with this uid, so that a deleted one is not recreated. The field
    /// manager is the [`manager`](crate::manager) of [its lineage](Observation::lineage_of). Fields
    /// that this manager owns by other operations are moved to the apply.
    Apply {
        member: usize,
        uid: String,
        /// The resourceVersion that was judged, if fields are to be taken from other owners.
        force: Option<String>,
    },
    /// Creates a Job for a run, like [`Create`](Self::Create). The Job is given by its place among
    /// all [jobs](crate::Members::jobs).
    Run { job: usize, run: u32 },
    /// Removes fields that others added to the member at the resource version that was judged. The
    /// fields are JSON pointers, ordered so that no removal moves a later one.
    Seal {
        member: usize,
        uid: String,
        version: String,
        fields: Vec<String>,
    },
    /// Deletes in the background, with the uid as precondition, in the served
    /// [version](Discovery::version). It is done once the object is gone. If the API server reports
    /// that the object still exists and is being deleted, the object is checked again.
    Delete { object: ObjectRef, uid: String },
    /// Adds the [`FINALIZER`](portolan_api::plan::FINALIZER) to the plan. The controller makes both
    /// finalizer writes as itself, not as the plan's ServiceAccount.
    AddFinalizer,
    /// Removes the [`FINALIZER`](portolan_api::plan::FINALIZER) from the plan. A deleted plan may
    /// be gone after that, and then no status is written.
    RemoveFinalizer,
}

impl Step {
    /// Returns the place of the member that it creates or applies.
    pub fn member(&self) -> Option<usize> {
        match self {
            Self::Create { member, .. }
            | Self::Apply { member, .. }
            | Self::Seal { member, .. } => Some(*member),
            Self::Run { .. } | Self::Delete { .. } | Self::AddFinalizer | Self::RemoveFinalizer => {
                None
            }
        }
    }
}

/// The outcome of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// The step was not tried, or the object has changed since it was observed. The object is read
    /// again.
    Again,
    /// Others own fields with other values. This is kept as an [`Attempt`].
    FieldsOwned(Vec<Conflict>),
    /// The error message of the API server.
    Refused(String),
    /// The outcome is unknown, with the reason. The object is read again.
    Lost(String),
}

/// The decision about a plan: the facts to look up, the steps, and the status.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The facts to look up first. Then the decision is made again. While there are any, there are
    /// no steps, and the status stays the same.
    pub asks: BTreeSet<Ask>,
    /// The steps to carry out, only after the status that they depend on is written.
    pub steps: Vec<Step>,
    /// The order of the steps: `InOrder` if each one waits for the previous one.
    pub order: Order,
    /// The status to write if it differs: after the steps, with their outcomes.
    pub status: Status,
    /// The time of the next reconciliation even if no change is observed. The status may depend on
    /// time, or the plan may wait for objects that are not watched.
    pub until: Option<Timestamp>,
    /// The number of members that differ; None if that was not checked.
    pub drifting: Option<Drifting>,
    /// The members that are as intended; None if that was not checked.
    pub calm: Option<Calm>,
    /// True if the steps repair changes by others.
    pub is_repair: bool,
    /// The Event to emit for the plan. It is set only if it is new.
    pub event: Option<Event>,
}

/// An Event that is emitted once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// True if a user has to act.
    pub is_warning: bool,
    pub reason: Reason,
    pub message: String,
}
