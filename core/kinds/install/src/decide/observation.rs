//! The input and the output of a decision: what is known, what is to be looked at, and what is to
//! be done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::Refusals;
use portolan_api::plan::{Intent, Order, Reason, Status};
use serde_json::Value;

use super::calm::Calm;
use super::case::{MANAGER, is_written_by};
use super::collision;
use super::lineages::Lineages;
use super::pods::PodsSeen;
use super::reviews::Reviews;
use super::tally::Drifting;
use super::tried::{Attempt, Drift};
use crate::discovery::Discovery;
use crate::fields::Conflict;
use crate::manifest::{Contents, JobOwner, Members};
use crate::object::{Identity, Kind};
use crate::others::Others;
use crate::permissions::{Access, Answers, Roles, may_read};
use crate::succession::Succession;

/// All that is known of a plan and of its members. What is not in a map was not looked at yet.
#[derive(Debug, Clone)]
pub struct Observation {
    pub plan: Plan,
    pub intent: Result<Intent, Refusals>,
    /// As it was written last.
    pub status: Status,
    pub contents: Contents,
    /// The manifests that `intent` and `contents` come to, where the caller has read them already.
    /// Else they are read for each decision.
    pub members: Option<Arc<Members>>,
    pub account: Option<Account>,
    pub discovery: Option<Discovery>,
    /// Whether the discovery was read after all of the objects were.
    pub is_discovery_fresh: bool,
    pub answers: Answers,
    pub reviews: Reviews,
    /// Roles that members bind and that are no members.
    pub roles: Roles,
    pub objects: BTreeMap<Identity, Sight>,
    /// Each with the [shape](Sight::shape) of the object that it was about; None where there was none.
    pub trials: BTreeMap<Identity, (Option<String>, Trial)>,
    pub attempts: BTreeMap<Identity, Attempt>,
    /// The changes that would put right members that lost fields.
    pub drifts: BTreeMap<Identity, Drift>,
    /// The kinds that the account may not watch; None where that is not known yet.
    pub unwatched: Option<BTreeSet<Kind>>,
    /// The objects of a kind in all namespaces. Like `objects` they are looked at anew for each
    /// decision.
    pub of_kinds: BTreeMap<Kind, Others>,
    /// The objects in a namespace, in the same way.
    pub in_namespaces: BTreeMap<String, Others>,
    /// The objects of a kind in a namespace, or in all, that transformations select from; in the same
    /// way.
    pub selected: BTreeMap<(Kind, Option<String>), Selected>,
    /// The Pods of workloads that the plan waits for. They are listed again for each reconciliation.
    pub pods: BTreeMap<Identity, PodsSeen>,
    /// The lineages that have a plan.
    pub living: Arc<Lineages>,
    /// The CRDs that OLM manages; like `of_kinds` they are read again for each decision.
    pub olm_definitions: Option<OlmDefinitions>,
    /// The relation of the other plans of its namespace to it.
    pub succession: Succession,
    /// Whether the definition of plans is being deleted: then all plans keep what they made.
    pub is_retired: bool,
    /// The members that the decision before this one [found](Decision::calm) to be as they were
    /// meant, so that they are not judged again. All else is the same without it.
    pub calm: Option<Calm>,
    pub now: Timestamp,
}

/// The CRDs that ClusterServiceVersions of the cluster own. OLM labels CRDs, and leaves them and their
/// labels behind when it removes an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OlmDefinitions {
    /// By their names.
    Owned(BTreeSet<String>),
    /// ClusterServiceVersions cannot be listed.
    Unknown,
}

/// Objects that a transformation selects from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selected {
    All(Vec<Candidate>),
    /// The sentence of the API server.
    Unreadable(String),
}

/// An object that may be selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub identity: Identity,
    pub uid: String,
    pub labels: BTreeMap<String, String>,
}

impl Observation {
    /// Takes over what a dry run came to, about the object of a member as it was seen last.
    pub fn tried(&mut self, member: Identity, trial: Trial) {
        let seen = self.objects.get(&member).and_then(Sight::shape);
        self.trials.insert(member, (seen, trial));
    }

    /// Takes over that a dry run of a member met fields that others own with other values.
    pub fn conflicted(&mut self, member: &Identity, conflicts: Vec<Conflict>) {
        if let Some(Sight::Present(object)) = self.objects.get(member) {
            let attempt = Attempt::new(object, conflicts);
            self.attempts.insert(member.clone(), attempt);
        }
    }

    /// Takes over how an object is seen. If the API server denies a read that the known answers allow, the
    /// ServiceAccount may have lost permissions since.
    pub fn saw(&mut self, object: Identity, sight: Sight) {
        self.is_discovery_fresh = false;
        let is_denied = matches!(sight, Sight::Unreadable(_));
        let discovery = self.discovery.as_ref().filter(|_| is_denied);
        if discovery.is_some_and(|kinds| may_read(&self.answers, kinds, &object)) {
            self.denied();
        }
        self.objects.insert(object, sight);
    }

    /// Takes over what a forced apply would repair. A dry run that is refused may be a permission that
    /// was lost.
    pub fn compared(&mut self, member: Identity, drift: Drift) {
        if drift.changed.is_err() {
            self.denied();
        }
        self.drifts.insert(member, drift);
    }

    /// The lineage under which a member that is there is written: that of its object, or else the plan's own.
    pub fn lineage_of(&self, member: &Identity) -> &str {
        let lineage = match self.objects.get(member) {
            Some(Sight::Present(object)) => self.plan.lineage_of(object),
            Some(Sight::Absent | Sight::Unreadable(_) | Sight::Unanswered(_)) | None => None,
        };
        lineage.unwrap_or(&self.plan.lineage)
    }

    /// What a dry run came to, whatever has become of the object since.
    pub(super) fn trial(&self, member: &Identity) -> Option<&Trial> {
        self.trials.get(member).map(|(_, trial)| trial)
    }

    /// The owner of the Jobs of the plan, and the ServiceAccount as which they run.
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
    pub identity: Identity,
    pub uid: String,
    pub generation: i64,
    /// The uid of the first plan of the lineage; that of the plan itself for a first one. It is
    /// [`Succession::lineage`].
    pub lineage: String,
    /// The other lineages whose objects it has: [`Succession::merged`].
    pub merged: BTreeSet<String>,
    /// The time at which it was deleted; None if it was not.
    pub terminating_since: Option<Timestamp>,
    /// Whether it has the [`FINALIZER`](portolan_api::plan::FINALIZER).
    pub has_finalizer: bool,
    /// Whether it [keeps all that it made](portolan_api::plan::InstallPlan::is_abandoned).
    pub is_abandoned: bool,
    /// The value of [`InstallPlan::retry`](portolan_api::plan::InstallPlan::retry).
    pub retry: Option<String>,
}

impl Plan {
    /// Returns all lineages whose objects the plan has, its own first.
    pub fn lineages(&self) -> impl Iterator<Item = &String> {
        [&self.lineage].into_iter().chain(&self.merged)
    }

    /// Returns the lineage of an object by its label, or else by the owners of its fields. None if the object belongs
    /// to no lineage of the plan.
    pub(super) fn lineage_of(&self, object: &Value) -> Option<&str> {
        let label = collision::lineage(object);
        let mut labelled = self.lineages().filter(|own| label == Some(own.as_str()));
        let mut writers = self.lineages().filter(|own| is_written_by(own, object));
        let lineage = labelled.next().or_else(|| writers.next());
        lineage.map(String::as_str)
    }

    /// Returns true if a field manager is that of one of its lineages.
    pub(super) fn is_manager(&self, manager: &str) -> bool {
        let lineage = manager.strip_prefix(MANAGER);
        lineage.is_some_and(|lineage| self.lineages().any(|own| own == lineage))
    }

    /// A Job of the plan, by its name.
    pub fn job(&self, name: &str) -> Identity {
        Identity {
            kind: Kind::job(),
            namespace: self.identity.namespace.clone(),
            name: name.to_owned(),
        }
    }

    /// The step that adds the finalizer or removes it; None if it is as it is wanted.
    pub(super) fn finalizer(&self, is_wanted: bool) -> Option<Step> {
        match (is_wanted, self.has_finalizer) {
            (true, false) => Some(Step::AddFinalizer),
            (false, true) => Some(Step::RemoveFinalizer),
            (true, true) | (false, false) => None,
        }
    }
}

/// The ServiceAccount of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Account {
    There,
    Missing,
    /// It cannot be used any more, as the namespace of the plan is being deleted with all that is in it.
    Leaving,
    /// Plans of the namespace are not allowed to act as its ServiceAccounts.
    NotEnabled,
    /// The controller itself may not act as it.
    NotGranted,
}

/// An object, as the ServiceAccount sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum Sight {
    Absent,
    /// Whole, with its managed fields.
    Present(Value),
    /// The sentence of the API server.
    Unreadable(String),
    /// Another program answers for the API server about such objects, and does not: the sentence of the API server. It may
    /// be one that the plan itself has to put right.
    Unanswered(String),
}

impl Sight {
    /// The part of an object by which it is told what can become of it, as one text: the object itself with its generation,
    /// which counts what is not its status, or with its version if it has none. None where there is none to be seen.
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

    /// The version in which an object was seen; None where there is none to be seen.
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
    /// A webhook that has side effects, for example, does not say.
    Undecided,
    /// The object would be taken, but not as a change of the one that is there. Only those are asked
    /// about that are made again then.
    Immutable,
}

/// Something to be looked at before anything else can be decided.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// The ServiceAccount, and whether it may be used.
    Account,
    /// The kinds that are served now.
    Discovery,
    ResourceManifest(String),
    Secret(String),
    Review(Access),
    /// A role that a member binds, as the controller itself sees it.
    Role(Identity),
    Object(Identity),
    /// The answer of the API server to a dry run of a manifest.
    Trial(Identity),
    /// The same for the first run of a Job, by its place among all jobs; it is kept by the identity
    /// of that run.
    JobTrial(usize),
    /// The changes that a forced apply would make.
    ForcedTrial(Identity),
    /// The changes by which a forced apply would put right a member that lost fields.
    Drift(Identity),
    /// The objects of a kind in all namespaces, as the ServiceAccount sees them.
    OfKind(Kind),
    /// The objects of a kind in a namespace, or in all, with their labels.
    Selected(Kind, Option<String>),
    /// The objects in a namespace, of all kinds that can be listed and deleted.
    InNamespace(String),
    /// The Pods that a workload selects, as the ServiceAccount sees them.
    Pods(Identity),
    /// The CRDs that ClusterServiceVersions own, as the controller itself sees them.
    OlmDefinitions,
}

/// One write. The manifest of a member is [`Member::applied`](crate::Member::applied), its place
/// that among all members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Made by an apply that fails where an object is there already, as one of this lineage.
    Create { member: usize, lineage: String },
    /// Applied with the uid of the object, so that one that is gone is not made again, and under the
    /// [`manager`](crate::manager) of [its lineage](Observation::lineage_of). An entry of that manager that is no apply is taken over.
    Apply {
        member: usize,
        uid: String,
        /// The resourceVersion that was judged, where fields are to be taken from others.
        force: Option<String>,
    },
    /// A Job is made for a run, in the way of a [`Create`](Self::Create): by its place among all
    /// [jobs](crate::Members::jobs).
    Run { job: usize, run: u32 },
    /// Removes what others added to the member, in the version that was judged: these fields, by
    /// JSON pointers, each before one that would move if it went.
    Seal {
        member: usize,
        uid: String,
        version: String,
        fields: Vec<String>,
    },
    /// Deleted in the background, with its uid as precondition, in the
    /// [version](Discovery::version) that is served. It is done once the object is gone: where the
    /// API server says that it is still there, being deleted, it is looked at again.
    Delete { object: Identity, uid: String },
    /// The plan gets the [`FINALIZER`](portolan_api::plan::FINALIZER). Both writes of the plan itself
    /// are the controller's own, and not its ServiceAccount's.
    AddFinalizer,
    /// The plan loses the [`FINALIZER`](portolan_api::plan::FINALIZER). One that is being deleted may be
    /// gone with it: then there is no status to be written.
    RemoveFinalizer,
}

impl Step {
    /// The place of the member that it makes or applies.
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
    /// It was not tried, or the object is not as it was seen: it is looked at again.
    Again,
    /// Others own fields with other values; it is kept as an [`Attempt`].
    FieldsOwned(Vec<Conflict>),
    /// The sentence of the API server.
    Refused(String),
    /// It is not known whether it is done, and why; the object is looked at again.
    Lost(String),
}

/// The decision about a plan: what to look at, what to do, and what to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// To be looked at first; then it is decided anew. As long as there is something, nothing is
    /// done, and nothing new is said.
    pub asks: BTreeSet<Ask>,
    /// To be carried out, only once the status that they stand on is written.
    pub steps: Vec<Step>,
    /// Whether one step waits for the one before it.
    pub order: Order,
    /// To be written if it differs from what is there: after the steps, with what became of them.
    pub status: Status,
    /// The time at which it is to be looked at again, even if no change is seen: time alone changes
    /// what is to be said, or what is waited for is not watched.
    pub until: Option<Timestamp>,
    /// The number of members that differ; None where it was not looked at.
    pub drifting: Option<Drifting>,
    /// The members that are as they were meant; None where it was not looked at.
    pub calm: Option<Calm>,
    /// Set if the steps put right what others have changed.
    pub is_repair: bool,
    /// To be told as an Event of the plan. It is there only where it is new.
    pub event: Option<Event>,
}

/// An Event that is told once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Whether a user has to do something.
    pub is_warning: bool,
    pub reason: Reason,
    pub message: String,
}
