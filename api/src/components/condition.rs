//! The words that conditions of an Operator v2alpha1 are made of.

use portolan_core_names::codes;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// Whether the catalog has a bundle that the installed one can be updated to.
    UpdateAvailable,
    /// Whether what exists is other than what the bundle of the catalog brings.
    ComponentsDiverge,
    /// Whether there are kinds of which nobody knows whether components are among them.
    ComponentsUnseen,
    /// Whether the catalog gives what is to be installed, where Installs are carried out.
    ContentResolved,
    /// Whether an Install among the components waits for somebody to approve it.
    InstallPendingApproval,
    /// Whether a Subscription follows the same package and does not belong to the Operator.
    SubscriptionUnassociated,
    /// Whether the Operator is being deleted, and what keeps it.
    Deleting,
}

codes! {
    /// Why a condition is as it is.
    pub enum Reason;

    /// The update is in the channel that is followed.
    UpdateFoundInChannel,
    /// The update is in another channel than the one that is followed.
    UpdateFoundInAnotherChannel,
    /// No channel has an update for what is installed.
    NoUpdateFound,

    /// Something that the bundle brings is no component, or a component is none that it brings.
    ComponentsDivergeFromInstall,
    /// Not all that its Install has is there as it shall be.
    ComponentsDivergeFromResolvedContent,
    /// All that is installed is there.
    ComponentsAsInstalled,
    /// The catalog has no manifests of the bundle, only an image.
    CatalogWithoutManifests,

    /// No component is a ClusterServiceVersion that was installed to its end.
    NothingInstalled,
    /// Neither a Subscription among the components nor the spec says which catalog is followed.
    NoCatalog,
    /// Who knows the catalogs does not answer, or not yet.
    CatalogUnknown,

    /// The controller may not see the kinds.
    KindsForbidden,

    /// These bundles are the content of its Install.
    BundlesFound,
    /// What the spec says of the catalog is not whole.
    SourceInvalid,
    /// The catalog has nothing that could be installed as the spec says.
    Unresolvable,
    /// OLM installs the package, so that no Install is made of it.
    InstalledByOLM,
    /// Another Operator installs the package.
    PackageTaken,
    /// There is an Install of the name of the Operator that is not its own.
    InstallTaken,
    /// Somebody else has changed the content of its Install.
    ContentChanged,

    /// An Install takes permissions that somebody who has them is to give.
    PrivilegeEscalationRequired,
    /// An Install takes no more permissions, and nobody has said yet that it may begin.
    InstallNotApproved,
    /// No Install waits.
    InstallsApproved,

    /// A Subscription follows the package and the channel of the spec, from the same catalog.
    SubscriptionMatches,

    /// What its Install has is needed by others.
    DeletionBlocked,
    /// The labels of the components are being taken off.
    RemovingLabels,
    /// A label cannot be taken off.
    LabelsRemain,
}
