//! The output of a decision: the facts to look up, the steps, and the status.

use std::collections::BTreeSet;

use jiff::Timestamp;
use portolan_api::plan::{Order, Reason, Status};
use portolan_core_names::{GroupKind, ObjectRef};

use super::tally::Drifting;
use super::verified::VerifiedMembers;
use crate::fields::OwnedField;
use crate::permissions::Access;

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
    /// manager is the [`manager`](crate::manager) of
    /// [its lineage](crate::Observation::lineage_of). Fields that this manager owns by other
    /// operations are moved to the apply.
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
    /// [version](crate::Discovery::version). It is done once the object is gone. If the API server
    /// reports that the object still exists and is being deleted, the object is checked again.
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
    /// Others own fields with other values. This is kept as an [`Attempt`](crate::Attempt).
    FieldsOwned(Vec<OwnedField>),
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
    pub verified: Option<VerifiedMembers>,
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
