//! The output of a decision: the facts to look up, the steps and the status.

use std::collections::BTreeSet;

use jiff::Timestamp;
use portolan_api::plan::{Order, Reason, Status};
use portolan_core_names::{GroupKind, ObjectRef};

use super::tally::Drifting;
use super::verified::VerifiedMembers;
use crate::fields::OwnedField;
use crate::permissions::Access;

/// A fact that the controller must look up before it decides again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// The state of the ServiceAccount, and the permission of the controller to act as this
    /// ServiceAccount.
    Account,
    /// The kinds that the API server serves now.
    Discovery,
    ResourceManifest(String),
    Secret(String),
    Review(Access),
    /// A role that a member binds, read with the permissions of the controller.
    Role(ObjectRef),
    Object(ObjectRef),
    /// The result of a dry run with the manifest of this object.
    Trial(ObjectRef),
    /// The dry-run result for the first run of a Job. Contains the index of the Job among all Jobs
    /// of the plan. The caller stores the result under the identity of the first run.
    JobTrial(usize),
    /// The changes that a forced apply would make.
    ForcedTrial(ObjectRef),
    /// The changes that a forced apply would make to repair a member that lost fields.
    Drift(ObjectRef),
    /// All objects of a kind in all namespaces, read with the permissions of the ServiceAccount.
    OfKind(GroupKind),
    /// The objects of a kind, with their labels. Contains the namespace to list, or None for all
    /// namespaces.
    Selected(GroupKind, Option<String>),
    /// All objects in a namespace, of each kind that can be listed and deleted.
    InNamespace(String),
    /// The Pods that a workload selects, read with the permissions of the ServiceAccount.
    Pods(ObjectRef),
    /// The CRDs that ClusterServiceVersions own, read with the permissions of the controller.
    OlmDefinitions,
}

/// One write. `member` is the index of a member among all members. The manifest to write is
/// [`Member::applied`](crate::Member::applied).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Creates the object of a member in this lineage. This is an apply that fails if the object
    /// exists.
    Create { member: usize, lineage: String },
    /// Applies the manifest to the object with this uid. If the object was deleted in the meantime,
    /// the apply does not recreate it.
    ///
    /// The field manager is the [`manager`](crate::manager) of [its
    /// lineage](crate::Observation::lineage_of). If this manager also owns fields by other
    /// operations, these fields become applied fields.
    Apply {
        member: usize,
        uid: String,
        /// The observed resourceVersion of the object, if the apply may take fields from other
        /// owners. None otherwise.
        force: Option<String>,
    },
    /// Replaces the spec of the object if its resource version is still the observed one. An apply
    /// follows. It could not remove the fields of other field managers itself.
    Replace {
        member: usize,
        uid: String,
        version: String,
    },
    /// Creates the Job of a run, as [`Create`](Self::Create) does. `job` is the index of the Job
    /// among all [jobs](crate::Members::jobs).
    Run { job: usize, run: u32 },
    /// Removes fields that other owners added to the object, if its resource version is still the
    /// observed one. The JSON pointers are sorted so that each removal leaves the later pointers
    /// valid.
    Seal {
        member: usize,
        uid: String,
        version: String,
        fields: Vec<String>,
    },
    /// Deletes an object with background propagation, in the served
    /// [version](crate::Discovery::version) and with the uid as precondition.
    ///
    /// The step is done when the object no longer exists. If the object still exists and is being
    /// deleted, the controller reads it again.
    Delete { object: ObjectRef, uid: String },
    /// Adds the [`FINALIZER`](portolan_api::plan::FINALIZER) to the plan. The controller writes the
    /// finalizer with its own permissions, not as the ServiceAccount.
    AddFinalizer,
    /// Removes the [`FINALIZER`](portolan_api::plan::FINALIZER) from the plan. If the plan is being
    /// deleted, it may no longer exist after this step. In this case, the controller writes no
    /// status.
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
    /// The controller did not try the step, or the object has changed since it was read. The
    /// controller reads the object again.
    Again,
    /// Other owners have set fields of the manifest to different values. The caller stores the
    /// conflict as an [`Attempt`](crate::Attempt).
    FieldsOwned(Vec<OwnedField>),
    /// The API server rejected the write. Contains its error message.
    Refused(String),
    /// The result of the write is unknown. Contains the reason. The controller reads the object
    /// again.
    Lost(String),
}

/// The decision about a plan: the facts to look up, the steps, and the status.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The facts to look up before the controller decides again. If this set is not empty, the
    /// decision has no steps and the status does not change.
    pub asks: BTreeSet<Ask>,
    /// The steps to carry out. The controller first writes the status that these steps depend on.
    pub steps: Vec<Step>,
    /// The order of the steps. `InOrder` means that each step waits for the previous step.
    pub order: Order,
    /// The status to write after the steps. The outcomes of the steps are added to it first. The
    /// controller writes it only if it differs from the current status.
    pub status: Status,
    /// The time of the next reconciliation, if no watch triggers one earlier. It is set if the
    /// status depends on the time, or if the plan waits for objects without a watch.
    pub until: Option<Timestamp>,
    /// The number of members that differ from their manifests. None if drift was not checked.
    pub drifting: Option<Drifting>,
    /// The members that match their manifests. None if the decision did not check this.
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
