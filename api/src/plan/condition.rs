//! The words that conditions of an InstallPlan are made of.

use portolan_core_names::codes;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// Whether the plan can be understood, and the API server would take what it has.
    Valid,
    /// Whether its ServiceAccount may do all that the plan needs.
    Permitted,
    /// Whether all was applied. Once it is True it stays so.
    Applied,
    /// Whether all is there and works.
    Ready,
    /// Whether others have changed or deleted what was applied. Only plans that were applied have it.
    Drifted,
    /// Whether another plan has taken its place. Only plans that replace others, or are replaced, have it.
    Replaced,
}

codes! {
    /// Why a condition is as it is.
    pub enum Reason;

    /// Nothing is wrong with it.
    PlanValid,
    /// A field of the plan itself cannot stay as it is.
    SpecInvalid,
    /// A manifest cannot stay as it is.
    ManifestInvalid,
    /// A manifest needs something of the plan that comes only after it.
    OrderInvalid,
    /// What a resource refers to is not there yet.
    ReferenceMissing,
    /// Nobody serves a kind in the version of a manifest.
    KindNotServed,
    /// The manifests are not those with which the plan began.
    ManifestsChanged,
    /// The plans that it replaces do not belong together.
    LineagesDiffer,
    /// Another plan replaces what this one would replace.
    AlreadyReplaced,
    /// The API server would refuse a manifest.
    ServerRefuses,
    /// It is not known yet.
    NotLookedAt,

    /// The ServiceAccount has all permissions.
    PermissionsHeld,
    /// The ServiceAccount lacks permissions, which are listed as rules.
    PermissionMissing,
    /// The ServiceAccount is not there.
    ServiceAccountMissing,
    /// Nobody has allowed the namespace to have things done as its ServiceAccounts.
    NamespaceNotEnabled,

    /// All is applied.
    AllApplied,
    /// What comes before it is not as it must be.
    Waiting,
    /// The plan is told to do nothing.
    Suspended,
    /// A newer plan takes its place.
    Resting,
    /// It is on its way.
    Applying,
    /// A stage takes longer than its deadline.
    StageStuck,
    /// A transformation selects more objects than it may.
    SelectionTooLarge,
    /// A Job has failed, which the next stage waits for.
    JobFailed,
    /// An object is there already, and it is not one of this plan.
    CollisionRefused,
    /// Others own fields with other values.
    FieldsOwned,
    /// The API server refuses a write.
    WriteRefused,

    /// All is ready.
    AllReady,
    /// Something is not there, or not ready.
    MembersNotReady,
    /// Something has failed.
    MembersFailed,

    /// All is as it was applied.
    NotDrifted,
    /// Others have changed or deleted something.
    MembersDrifted,
    /// Others change or delete something as often as it is put right.
    DriftContested,
    /// The ServiceAccount may not watch what it applies, so that it is not seen when others change it.
    NotWatched,

    /// No plan takes its place.
    NotReplaced,
    /// What only the plans before it made is being deleted.
    RemovingLeftovers,
    /// Another plan takes its place, and is not ready yet, or has not deleted yet what only this one made.
    HandingOver,
    /// Another plan has taken its place.
    HandedOver,

    /// The plan is being deleted, and what it made with it.
    Deleting,
    /// The plan is being deleted, and something keeps what it made from going.
    DeletionBlocked,
    /// The plan has gone, and some of what it made is still there.
    Abandoned,
}
