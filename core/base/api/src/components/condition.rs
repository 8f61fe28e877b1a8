//! The types and reasons of conditions in an Operator v2alpha1.

use portolan_core_names::codes;

use crate::status::condition_types;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// True if the catalog has an update of the installed bundle.
    UpdateAvailable,
    /// True if the components differ from the objects of the bundle in the catalog.
    ComponentsDiverge,
    /// True if the catalog has the content to install. Set if Installs are enabled.
    ContentResolved,
    /// True if an Install among the components waits for approval.
    InstallPendingApproval,
    /// True if the content of the Install cannot be read.
    ContentImportError,
    /// True if the controller cannot list some kinds, so that components may be missing from the status.
    ComponentsNotListed,
    /// True if a Subscription follows the same package and does not belong to the Operator.
    SubscriptionUnassociated,
    /// True if the Operator is being deleted. The reason says what blocks the deletion.
    Deleting,
}

codes! {
    /// The reason of a condition.
    pub enum Reason;

    /// The update is in the channel of the Operator.
    UpdateFoundInChannel,
    /// The update is in a channel that is not followed.
    UpdateFoundInAnotherChannel,
    /// No channel has an update of the installed bundle.
    NoUpdateFound,

    /// The components and the objects of the bundle differ.
    ComponentsDivergeFromInstall,
    /// An object of the Install is missing or not in the desired state.
    ComponentsDivergeFromResolvedContent,
    /// Every installed object exists.
    ComponentsAsInstalled,
    /// The catalog has only an image of the bundle, and no manifests.
    CatalogWithoutManifests,

    /// No component is a successfully installed ClusterServiceVersion, and the Install has installed nothing.
    NothingInstalled,
    /// Neither a Subscription among the components nor the spec names a catalog.
    NoCatalog,
    /// The resolver does not answer, so the catalog is unknown.
    ResolverUnavailable,

    /// The controller lacks permissions for these kinds.
    KindsForbidden,

    /// These bundles are the content of the Install.
    BundlesFound,
    /// The catalog source in the spec is incomplete.
    SourceInvalid,
    /// The catalog has no bundles that meet the spec.
    Unresolvable,
    /// OLM installs the package, so no Install is created.
    InstalledByOLM,
    /// Another Operator installs the package.
    PackageTaken,
    /// An Install with the name of the Operator belongs to another owner.
    InstallNotOwned,
    /// Another client changed the content of the Install.
    ContentChanged,

    /// An Install needs permissions. A user who has these permissions must grant them.
    PrivilegeEscalationRequired,
    /// An Install needs no further permissions, and is not approved yet.
    InstallNotApproved,
    /// Every Install is approved.
    InstallsApproved,
    /// The permissions that an Install needs have not been checked yet.
    InstallNotChecked,

    /// The image cannot be pulled: it is missing, its digest differs, or its registry or the resolver does not answer.
    ManifestImagePullFailed,
    /// The image contains no bundle that can be installed.
    ManifestImageInvalid,
    /// The content of its Install cannot be installed.
    ContentInvalid,

    /// A Subscription follows the package and channel of the spec, from the same catalog.
    SubscriptionMatches,

    /// Other operators need content of the Install.
    DeletionBlocked,
    /// The Install is being deleted with all its objects.
    RemovingInstall,
    /// The labels of the components are being removed.
    RemovingLabels,
    /// A label cannot be removed.
    LabelsRemain,
}

condition_types!(ConditionType, Reason);
