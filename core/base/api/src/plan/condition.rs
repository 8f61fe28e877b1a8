//! The types and reasons of conditions in an InstallPlan.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_core_names::codes;
use portolan_core_olm::State;

use crate::status::condition_types;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// True if the plan is valid and the API server accepts its manifests.
    Valid,
    /// True if the ServiceAccount has all permissions that the plan needs.
    Permitted,
    /// True if all objects were applied. It stays True.
    Applied,
    /// True if all objects exist and are ready.
    Ready,
    /// True if other clients changed or deleted applied objects. Set only for plans that were applied.
    Drifted,
    /// True if another plan replaces this plan. Set only for plans that replace others or are replaced.
    Replaced,
}

codes! {
    /// The reason of a condition.
    pub enum Reason;

    /// The plan is valid.
    PlanValid,
    /// A field of the plan is invalid.
    SpecInvalid,
    /// A manifest is invalid.
    ManifestInvalid,
    /// A manifest needs an object that the plan applies later.
    OrderInvalid,
    /// An object that a resource refers to is missing.
    ReferenceMissing,
    /// The API server does not serve the kind in the version of a manifest.
    KindNotServed,
    /// The manifests differ from those that the plan started with.
    ManifestsChanged,
    /// The replaced plans belong to more lineages than one plan can merge.
    LineagesDiffer,
    /// Another plan already replaces the same plan.
    AlreadyReplaced,
    /// The API server rejects a manifest in a dry run.
    DryRunRejected,
    /// The state is not known yet.
    NotObserved,

    /// The ServiceAccount has all permissions.
    PermissionsSufficient,
    /// The ServiceAccount lacks permissions. The message lists them as rules.
    PermissionMissing,
    /// The ServiceAccount is missing.
    ServiceAccountMissing,
    /// The namespace does not allow plans to act as its ServiceAccounts.
    NamespaceNotEnabled,

    /// Every object is applied.
    AllApplied,
    /// An earlier step is not complete.
    Waiting,
    /// `spec.suspend` is true.
    Suspended,
    /// A newer plan replaces this plan.
    Superseded,
    /// Objects are being applied.
    Applying,
    /// A stage exceeds its deadline.
    StageDeadlineExceeded,
    /// A transformation selects more objects than its maximum.
    SelectionTooLarge,
    /// A Job failed that must complete before the next stage.
    JobFailed,
    /// An object already exists and does not belong to this plan.
    ObjectNotOwned,
    /// Other field managers own fields with different values.
    FieldConflict,
    /// The API server rejects a write.
    WriteRejected,

    /// Every object is ready.
    AllReady,
    /// An object is missing or not ready.
    MembersNotReady,
    /// An object has failed.
    MembersFailed,

    /// No other client changed or deleted applied objects.
    NotDrifted,
    /// Other clients changed or deleted objects.
    MembersDrifted,
    /// Other clients keep changing or deleting objects that the plan repairs.
    DriftContested,
    /// The ServiceAccount lacks permission to watch applied objects, so changes are detected late.
    NotWatched,

    /// No plan replaces this plan.
    NotReplaced,
    /// Objects that only the replaced plans created are being deleted.
    RemovingLeftovers,
    /// Another plan replaces this plan, and is not ready yet or still deletes leftover objects.
    HandingOver,
    /// Another plan has replaced this plan.
    HandedOver,

    /// The plan is being deleted, together with the objects that it created.
    Deleting,
    /// The deletion of the plan is blocked, because objects that it created cannot be deleted.
    DeletionBlocked,
    /// The plan is deleted, and some objects that it created remain.
    ObjectsRemain,
}

impl ConditionType {
    /// Returns true if this condition must be True before a plan is complete.
    pub fn is_step(self) -> bool {
        match self {
            Self::Valid | Self::Permitted | Self::Applied | Self::Ready => true,
            Self::Drifted | Self::Replaced => false,
        }
    }

    /// Returns true if the condition reports a problem, or an object for which the plan waits.
    pub fn is_open(self, condition: &Condition) -> bool {
        match self {
            Self::Valid | Self::Permitted | Self::Applied | Self::Ready => {
                condition.status != "True"
            }
            Self::Drifted => condition.status != "False",
            // It is no problem if another plan replaces the plan, or if no plan replaces it. Only
            // these reasons need attention.
            Self::Replaced => [Reason::RemovingLeftovers, Reason::DeletionBlocked]
                .iter()
                .any(|reason| reason.as_str() == condition.reason),
        }
    }
}

condition_types!(
    ConditionType,
    Reason,
    fn status(self, state: State) -> &'static str {
        match (state, self) {
            (State::Yes, _) => "True",
            (State::NotYet, Self::Valid | Self::Permitted | Self::Drifted) => "Unknown",
            // Work in progress is certainly not finished, so the status is False and not Unknown.
            (State::NotYet, Self::Applied | Self::Ready | Self::Replaced) | (State::No, _) => {
                "False"
            }
        }
    }
);
