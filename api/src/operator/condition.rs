//! The words that conditions of an Operator are made of.

use portolan_core_names::codes;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// Whether it is installed and works.
    Ready,
    /// Whether it is being brought to another version, or why not.
    Installing,
    /// Whether the catalog has versions that are higher than the installed one, wanted or not.
    UpgradeAvailable,
}

codes! {
    /// Why a condition is as it is.
    pub enum Reason;

    /// It is installed, and works.
    Installed,
    /// Nothing of it is installed.
    NotInstalled,
    /// Something of what was installed is not there, or does not work.
    NotReady,

    /// It has the version that is wanted.
    UpToDate,
    /// No version is wanted, so it stays at the one that was installed first.
    Frozen,
    /// A version is being applied.
    Applying,
    /// The next version is being looked at before anything of it is applied.
    Checking,
    /// It waits until what was installed last has proved itself.
    Settling,
    /// What the version requires is not there.
    WaitingForDependencies,
    /// It moves together with others, which are not there yet.
    Lockstep,
    /// Somebody must allow the version first.
    ApprovalRequired,
    /// The operator itself, or its administrator, says that it is not to be upgraded now.
    NotUpgradeable,
    /// A Policy does not let it move now. It goes on by itself when that is over.
    TimeRestricted,
    /// A Policy does not let it move to the version, at any time.
    ConsentDenied,
    /// Who knows whether the Policies let it move does not answer.
    ConsentUnavailable,

    /// A field cannot stay as it is.
    SpecInvalid,
    /// Who knows the catalogs does not answer, or not yet.
    CatalogsUnknown,
    /// No catalog has the package.
    PackageNotFound,
    /// Several catalogs have the package, and none of them comes first.
    AmbiguousCatalog,
    /// Nothing leads to the version that is wanted.
    Unreachable,
    /// A bundle on the way cannot be read, or cannot be installed.
    BundleRefused,
    /// The bundle of the installed version is another one now.
    BundleChanged,
    /// Objects that exist would be lost with the next version.
    DefinitionUnsafe,
    /// The plan for the next version cannot be carried out.
    PlanInvalid,
    /// The installer may not do all that the next version takes.
    PermissionMissing,
    /// What was begun does not come to its end.
    InstallFailed,
    /// What was begun did not come to its end, and is being taken back.
    Reverting,
    /// What was begun did not come to its end, and was taken back.
    Reverted,
    /// The InstallPlan of the installed version was deleted. The same version is installed again.
    Restoring,

    /// It takes over what OLM has installed.
    Adopting,
    /// What OLM has installed cannot be taken over as it is.
    AdoptionRefused,
    /// OLM has installed the package already.
    InstalledByOlm,
    /// OLM has installed the package besides.
    AlsoInstalledByOlm,
    /// A ClusterExtension has the package.
    InstalledByClusterExtension,
    /// Another, older Operator has the package.
    Duplicate,

    /// It is being deleted, and what it installed with it.
    Deleting,
    /// It is being deleted, and something keeps it from going.
    DeletionBlocked,

    /// The catalog has higher versions.
    HigherVersions,
    /// The catalog has no higher version.
    NoHigherVersion,
}
