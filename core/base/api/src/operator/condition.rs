//! The types and reasons of conditions in an Operator.

use portolan_core_names::codes;

use crate::status::condition_types;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// True if the operator is installed and works.
    Ready,
    /// True if a version is being installed. Otherwise the reason says why not.
    Installing,
    /// True if the catalog has versions that are higher than the installed version, allowed or not.
    UpgradeAvailable,
    /// True if the cluster has everything that the wanted and the installed version require.
    DependenciesMet,
    /// True if the author deprecates the package, a channel of the Operator or the installed bundle. Absent otherwise.
    Deprecated,
}

codes! {
    /// The reason of a condition.
    pub enum Reason;

    /// The operator is installed and works.
    Installed,
    /// The operator is not installed.
    NotInstalled,
    /// An installed object is missing or does not work.
    NotReady,

    /// The desired version is installed.
    UpToDate,
    /// `spec.version` is empty, so the operator stays at the version that was installed first.
    Frozen,
    /// A version is being applied.
    Applying,
    /// The next version is being checked before any object of it is applied.
    Checking,
    /// The installed version must be ready for `settleSeconds` first.
    Settling,
    /// A dependency of the version is missing.
    WaitingForDependencies,
    /// The operator is upgraded together with other operators that are not ready for it.
    WaitingForOtherOperators,
    /// The version needs an approval.
    ApprovalRequired,
    /// The operator or its administrator does not allow an upgrade now.
    NotUpgradeable,
    /// A Policy does not allow the change now. The Operator continues when the Policy allows it.
    TimeRestricted,
    /// A Policy does not allow the change at any time.
    DeniedByPolicy,
    /// The approval service does not answer, so Policies cannot be checked.
    PolicyServiceUnavailable,

    /// A field of the spec is invalid.
    SpecInvalid,
    /// The resolver does not answer, so the catalogs are unknown.
    ResolverUnavailable,
    /// No catalog has the package.
    PackageNotFound,
    /// Several catalogs have the package with the same priority.
    AmbiguousCatalog,
    /// No upgrade path leads to an allowed version.
    NoUpgradePath,
    /// A bundle on the upgrade path cannot be read or installed.
    BundleNotInstallable,
    /// The catalog has another image for the installed bundle.
    BundleChanged,
    /// The next version changes a CRD in an unsafe way, so custom resources could lose data.
    CrdUpgradeUnsafe,
    /// The InstallPlan of the next version cannot be applied.
    PlanInvalid,
    /// The installer lacks permissions that the next version requires.
    PermissionMissing,
    /// The installation of a version failed.
    InstallFailed,
    /// The installation of a version failed, and the version is being reverted.
    Reverting,
    /// The installation of a version failed, and the version was reverted.
    Reverted,
    /// The InstallPlan of the installed version was deleted. The same version is installed again.
    Reinstalling,

    /// The OLM v0 installation of the package is being adopted.
    Adopting,
    /// The OLM v0 installation of the package cannot be adopted.
    AdoptionRefused,
    /// OLM v0 has the package installed.
    InstalledByOlm,
    /// OLM v0 also has the package installed.
    AlsoInstalledByOlm,
    /// A ClusterExtension installs the package.
    InstalledByClusterExtension,
    /// An older Operator installs the same package.
    Duplicate,

    /// The Operator is being deleted, together with what it installed.
    Deleting,
    /// The deletion of the Operator is blocked.
    DeletionBlocked,

    /// The catalog has higher versions.
    HigherVersions,
    /// The catalog has no higher version.
    NoHigherVersion,

    /// Everything that is required is installed.
    DependenciesSatisfied,
    /// A required package or API is missing, or has a version that does not fit.
    DependenciesMissing,

    /// The package is deprecated.
    PackageDeprecated,
    /// A channel that the Operator names is deprecated.
    ChannelDeprecated,
    /// The installed bundle is deprecated.
    BundleDeprecated,
}

condition_types!(ConditionType, Reason);
