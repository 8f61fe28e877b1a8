//! The words that conditions of an Install are made of.

use portolan_core_names::codes;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// Whether all of the content is installed and works.
    Ready,
    /// Whether the content waits for somebody to approve it.
    PendingApproval,
    /// Whether something is wrong with the content itself.
    ContentImportError,
}

codes! {
    /// Why a condition is as it is.
    pub enum Reason;

    /// All is installed, and is there and works.
    Installed,
    /// It is on its way.
    Installing,
    /// Its InstallPlan cannot be carried out, or does not come to its end.
    PlanFails,
    /// Nothing is installed before it is approved.
    ApprovalRequired,
    /// Nothing is installed before its content can be read.
    ContentInvalid,
    /// Nobody serves a kind of the content yet.
    KindNotServed,
    /// There is a ServiceAccount of the name already which is not that of the Install.
    ServiceAccountTaken,
    /// A binding among the content names a role that is missing, or that the controller cannot read.
    RoleNotFound,
    /// It is being deleted, and what it installed goes first.
    Deleting,

    /// Permissions that the content takes, or gives to others, have not been approved. The status lists them.
    UnsatisfiedPermissions,
    /// Permissions are not lacking, but nobody has set `spec.approval`.
    NotApproved,
    /// It is approved, and the ServiceAccount has all permissions.
    ApprovalGiven,
    /// It is not known yet, as the content cannot be read.
    NotLookedAt,
    /// The permissions of the content have not been checked yet.
    NotChecked,

    /// A field of the Install cannot stay as it is.
    SpecInvalid,
    /// A `raw` is no manifest, or one that is not installed.
    RawInvalid,
    /// An image is not to be had: it is not there, its bytes are not those of its digest, or its registry is away.
    ManifestImagePullFailed,
    /// An image is no bundle, or one that cannot be installed.
    ManifestImageInvalid,
    /// The content cannot be one InstallPlan, such as where it has an object twice.
    ContentRefused,
    /// All content was read.
    ContentImported,
}
