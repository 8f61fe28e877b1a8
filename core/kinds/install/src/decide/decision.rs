//! The output of a decision: the facts to look up, the steps and the status.

use std::collections::BTreeSet;

use jiff::Timestamp;
use portolan_api::plan::{Order, Reason, Status};
use portolan_core_names::{GroupKind, ObjectRef};

use super::tally::Drifting;
use super::verified::VerifiedMembers;
use crate::fields::OwnedField;
use crate::permissions::Access;

/// A fact that must be looked up before the decision can continue.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// The ServiceAccount, and the permission to act as this ServiceAccount.
    Account,
    /// The kinds that the API server serves now.
    Discovery,
    ResourceManifest(String),
    Secret(String),
    Review(Access),
    /// A role that a member binds, read with the permissions of the controller.
    Role(ObjectRef),
    Object(ObjectRef),
    /// The result of a dry run of a manifest.
    Trial(ObjectRef),
    /// The dry-run result for the first run of a Job, given by its index among all Jobs. The result
    /// is stored under the identity of that run.
    JobTrial(usize),
    /// The changes that a forced apply would make.
    ForcedTrial(ObjectRef),
    /// The changes with which a forced apply would repair a member that lost fields.
    Drift(ObjectRef),
    /// All objects of a kind in all namespaces, read with the permissions of the ServiceAccount.
    OfKind(GroupKind),
    /// All objects of a kind with their labels, in this namespace or, if None, in all namespaces.
    Selected(GroupKind, Option<String>),
    /// All objects in a namespace, of each kind that can be listed and deleted.
    InNamespace(String),
    /// The Pods that a workload selects, read with the permissions of the ServiceAccount.
    Pods(ObjectRef),
    /// The CRDs that ClusterServiceVersions own, read with the permissions of the controller.
    OlmDefinitions,
}

/// One write. A member is given by its index among all members. Its manifest is
/// [`Member::applied`](crate::Member::applied).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Creates an object in this lineage, with an apply that fails if the object exists.
    Create { member: usize, lineage: String },
    /// Applies the manifest to the object with this uid, so that a deleted object is not recreated.
    /// The field manager is the [`manager`](crate::manager) of [its
    /// lineage](crate::Observation::lineage_of). If this manager also owns fields by other
    /// operations, these fields are moved to the apply.
    Apply {
        member: usize,
        uid: String,
        /// The resourceVersion of the judged object, if the apply takes fields from other owners.
        /// None otherwise.
        force: Option<String>,
    },
    /// Replaces the spec of the member if the object still has the judged resource version.
    /// Precedes an apply that cannot remove the fields of other field managers.
    Replace {
        member: usize,
        uid: String,
        version: String,
    },
    /// Creates a Job for a run, like [`Create`](Self::Create). The Job is given by its index among
    /// all [jobs](crate::Members::jobs).
    Run { job: usize, run: u32 },
    /// Removes fields that other owners added to the member, if the object still has the judged
    /// resource version. The JSON pointers are in an order in which no removal moves a later field.
    Seal {
        member: usize,
        uid: String,
        version: String,
        fields: Vec<String>,
    },
    /// Deletes an object in the background, in the served [version](crate::Discovery::version) and
    /// with the uid as precondition. The step is done once the object no longer exists. If the API
    /// server reports that the object still exists and is being deleted, the object is checked
    /// again.
    Delete { object: ObjectRef, uid: String },
    /// Adds the [`FINALIZER`](portolan_api::plan::FINALIZER) to the plan. The controller adds and
    /// removes the finalizer with its own permissions, and does not use the ServiceAccount for
    /// this.
    AddFinalizer,
    /// Removes the [`FINALIZER`](portolan_api::plan::FINALIZER) from the plan. A deleted plan may
    /// no longer exist after this step, and then no status is written.
    RemoveFinalizer,
}

impl Step {
    /// Returns the index of the member that the step creates or applies. Returns None for other
    /// steps.
    pub fn member(&self) -> Option<usize> {
        match self {
            Self::Create { member, .. }
            | Self::Apply { member, .. }
            | Self::Replace { member, .. }
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
    /// The step was not tried, or the object has changed since the last read. The controller reads
    /// the object again.
    Again,
    /// Other owners have fields with different values. The conflict is kept as an
    /// [`Attempt`](crate::Attempt).
    FieldsOwned(Vec<OwnedField>),
    /// The error message of the API server.
    Refused(String),
    /// The outcome is unknown, with the reason. The controller reads the object again.
    Lost(String),
}

/// The decision about a plan: the facts to look up, the steps, and the status.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The facts to look up before the decision is made again. If not empty, there are no steps and
    /// the status stays the same.
    pub asks: BTreeSet<Ask>,
    /// The steps to carry out. They must wait until the status that they depend on is written.
    pub steps: Vec<Step>,
    /// The order of the steps. `InOrder` means that each step waits for the previous step.
    pub order: Order,
    /// The status to write after the steps, updated with their outcomes. It is written only if it
    /// differs from the current one.
    pub status: Status,
    /// The time of the next reconciliation if no change is observed before. It is set if the status
    /// depends on time, or if the plan waits for objects that are not watched.
    pub until: Option<Timestamp>,
    /// The number of members that differ from their manifests. None if drift was not checked.
    pub drifting: Option<Drifting>,
    /// The members that match their manifests. None if this was not checked.
    pub verified: Option<VerifiedMembers>,
    /// True if the steps revert changes by other clients.
    pub is_repair: bool,
    /// The Event to emit for the plan. Set only if the event is new.
    pub event: Option<Event>,
}

/// An Event that the controller emits once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// True if a user has to act.
    pub is_warning: bool,
    pub reason: Reason,
    pub message: String,
}
