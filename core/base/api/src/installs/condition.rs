//! The types and reasons of conditions in an Install.

use portolan_core_names::codes;

use crate::status::condition_types;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// True if all content is installed and works.
    Ready,
    /// True if the content waits for approval.
    PendingApproval,
    /// True if the content is invalid or cannot be read.
    ContentImportError,
}

codes! {
    /// The reason of a condition.
    pub enum Reason;

    /// The whole content is installed and works.
    Installed,
    /// The content is being installed.
    Installing,
    /// The InstallPlan cannot be applied, or fails.
    InstallPlanFailed,
    /// The content must be approved before it is installed.
    ApprovalRequired,
    /// The content must be readable before it is installed.
    ContentInvalid,
    /// The API server does not serve a kind of the content yet.
    KindNotServed,
    /// A ServiceAccount with the same name belongs to another owner.
    ServiceAccountNotOwned,
    /// A binding in the content names a role that is missing, or that the controller cannot read.
    RoleNotFound,
    /// The Install is being deleted. Installed objects are deleted first.
    Deleting,

    /// Permissions that the content needs, or grants to others, are not approved. The status lists them.
    UnsatisfiedPermissions,
    /// No permissions are missing, and `spec.approval` is not `Approved`.
    NotApproved,
    /// The content is approved, and the ServiceAccount has all permissions.
    ApprovalGiven,
    /// The state is unknown, because the content cannot be read.
    NotObserved,
    /// The permissions of the content have not been checked yet.
    NotChecked,

    /// A field of the spec is invalid.
    SpecInvalid,
    /// A `raw` entry is not a valid manifest, or its kind is not allowed.
    RawInvalid,
    /// An image cannot be pulled: it is missing, its content does not match its digest, or its registry is unreachable.
    ManifestImagePullFailed,
    /// An image is not a bundle, or the bundle cannot be installed.
    ManifestImageInvalid,
    /// The content cannot be a single InstallPlan, for example because an object is listed twice.
    ContentNotInstallable,
    /// The whole content was read.
    ContentImported,
}

condition_types!(ConditionType, Reason);
