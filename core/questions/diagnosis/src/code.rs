//! The codes of causes.

use portolan_core_names::codes;

codes! {
    /// The code of a cause, for programs. A cause can block the causes whose codes come later in
    /// this order: the codes for the first steps of OLM are first, and the codes for later steps
    /// follow.
    pub enum Code;

    /// A controller of OLM does not run, so OLM does not continue.
    OlmNotRunning,

    /// The namespace has no OperatorGroup, or its OperatorGroup is being deleted.
    OperatorGroupMissing,
    /// The namespace has several OperatorGroups.
    OperatorGroupsConflict,
    /// The ServiceAccount of the OperatorGroup does not exist.
    GroupServiceAccountMissing,
    /// The operator does not support the namespaces that the OperatorGroup selects or that OLM v1
    /// uses.
    InstallModeUnsupported,

    /// The CatalogSource of the Subscription does not exist.
    CatalogMissing,
    /// OLM has never connected to the registry of the catalog. If its Pod does not run, the cause
    /// is named.
    CatalogNeverReached,
    /// The registry of the catalog does not answer, as OLM reports. If its Pod does not run, the
    /// cause is named.
    CatalogUnreachable,
    /// The registry of the catalog does not answer, but OLM reports that it does. If its Pod does
    /// not run, the cause is named.
    CatalogNotAnswering,
    /// The catalog only has versions older than the installed one.
    CatalogOutdated,
    /// OLM cannot process a channel of the catalog, or a requirement of a bundle.
    CatalogBroken,

    /// A catalog that the operator does not use blocks the whole namespace.
    BlockedByCatalog,
    /// An installed operator without a Subscription blocks the namespace.
    BlockedByOrphan,

    /// The catalog does not have the package, or no catalog has a bundle that a ClusterExtension
    /// allows.
    PackageMissing,
    /// The package does not have the channel.
    ChannelMissing,
    /// The channel does not have the bundle of startingCSV.
    StartingCsvMissing,
    /// No visible catalog satisfies a dependency, or OLM v1 does not support dependencies.
    DependencyMissing,
    /// A dependency is available or installed only in versions outside the required range.
    DependencyOutOfRange,
    /// Another operator of the namespace provides the same API.
    ApiProvidedTwice,
    /// Another Subscription of the namespace is for the same package.
    DuplicateSubscription,
    /// OLM reports that it cannot resolve the namespace, but the reasons no longer apply.
    ResolutionStale,
    /// OLM cannot resolve the namespace, for an unknown reason.
    ResolutionFailed,
    /// A Subscription or ClusterServiceVersion of another operator blocks the whole namespace.
    BlockedByNeighbor,

    /// OLM cannot unpack the bundle.
    UnpackFailing,

    /// The InstallPlan failed, and OLM does not retry it.
    PlanFailed,
    /// The InstallPlan that the Subscription names does not exist.
    PlanMissing,
    /// The InstallPlan waits for approval.
    PlanAwaitsApproval,
    /// The InstallPlan waits for approval only because another Subscription of the namespace is
    /// Manual.
    PlanForcedManual,
    /// An InstallPlan waits for approval although a newer one has replaced it.
    PlanSuperseded,
    /// An InstallPlan waits for approval and installs a bundle that no Subscription asks for.
    PlanObsolete,
    /// The InstallPlan is approved, and OLM has not started it.
    PlanNotStarted,

    /// The ClusterServiceVersion that the next one replaces is Pending, so OLM never replaces it.
    PredecessorPending,

    /// A CustomResourceDefinition of the operator belongs to another operator.
    CrdOwnedByOther,
    /// An OperatorGroup claims an API of the operator, or does not let the operator provide it.
    ApiClaimedByGroup,
    /// A required CustomResourceDefinition does not exist.
    CrdMissing,
    /// A required CustomResourceDefinition exists but does not meet the requirement.
    CrdNotUsable,
    /// An aggregated API does not exist or does not answer.
    ApiMissing,
    /// A permission is missing.
    PermissionMissing,
    /// The cluster is too old for the bundle that OLM installs.
    ClusterTooOld,
    /// Another requirement of the operator is not met.
    RequirementUnmet,
    /// A requirement is met now, but OLM has not checked it again.
    RequirementNotRechecked,
    /// The operator reports Upgradeable=False, or an administrator set it.
    NotUpgradeable,

    /// An image cannot be pulled.
    ImagePullFailing,
    /// A container crash-loops.
    CrashLooping,
    /// A container cannot be created.
    ContainerNotCreated,
    /// A volume of the Pod cannot be attached, because another Pod or node holds it.
    VolumeNotAttached,
    /// The Pod fits on no node.
    Unschedulable,
    /// A quota is used up.
    QuotaExceeded,
    /// A webhook or a policy refuses the Pod.
    PodRejected,
    /// The Pod was evicted or has failed permanently.
    PodFailed,
    /// A container runs but is not ready.
    ProbeFailing,
    /// The Deployment is scaled to zero.
    ScaledToZero,
    /// The Deployment is paused.
    RolloutPaused,
    /// A webhook, a policy or a quota refuses the Deployment, so OLM cannot create it.
    DeploymentRejected,
    /// The Deployment does not exist.
    DeploymentMissing,
    /// The Deployment belongs to another operator.
    DeploymentOwnedByOther,
    /// Another client keeps changing a Deployment that OLM installs.
    DeploymentContested,
    /// The rollout of the Deployment fails, for an unknown reason.
    RolloutFailing,

    /// OLM gave up at its deadline. The cause is gone, but OLM does not retry.
    DeadlinePassed,
    /// OLM reports that the operator failed, for a reason that is not in this list.
    CsvFailed,
    /// The operator is installed in another namespace only. Here is a copy of its
    /// ClusterServiceVersion.
    OnlyCopied,
    /// The ClusterServiceVersion was deleted, but OLM treats the operator as installed.
    OperatorGone,

    /// The next version is not allowed.
    NextVersionNotAllowed,
    /// The next version does not cover the installed version.
    OutOfSkipRange,
    /// No bundle of the channel upgrades the installed version, although a newer version exists.
    DeadEnd,
    /// OLM skips the version that a policy allows.
    AllowedVersionSkipped,
    /// A newer version exists but does not support this cluster.
    NotForThisCluster,

    /// An InstallPlan of `plans.portolan.dev` is invalid, or waits for an object that it refers to.
    PlanInvalid,
    /// An object already exists or has fields of other owners, and the plan or ClusterExtension may
    /// not take it over.
    ObjectNotOwned,
    /// A stage of the plan exceeds its deadline, selects too many objects, or has a write that the API server rejects.
    StageBlocked,
    /// A Job of the plan failed, and the next stage waits for it.
    JobFailed,
    /// An object of the plan is missing or not ready.
    MembersNotReady,
    /// Another client keeps changing objects of the plan, or fields that an OperatorPolicy sets.
    DriftContested,
    /// The plan or its predecessor is being deleted, and an object of it cannot be deleted.
    DeletionBlocked,
    /// The plan is suspended, or its Operator has not started it yet.
    PlanSuspended,

    /// An Operator of `operators.operatorframework.io` is invalid.
    OperatorInvalid,
    /// OLM, a ClusterExtension or another Operator manages the package.
    PackageTaken,
    /// Several catalogs have the package with the same priority.
    AmbiguousCatalog,
    /// No upgrade path leads to the required version. OLM v1 needs a path with one step.
    NoUpgradePath,
    /// A bundle of the upgrade path cannot be read or installed, or differs from the installed one.
    BundleNotInstallable,
    /// Custom resources may lose data in the next version, and this is not accepted yet.
    CrdUpgradeUnsafe,
    /// The next version waits for approval.
    ApprovalRequired,
    /// Policies do not allow the next version now, or the approval service does not answer.
    BlockedByPolicy,
    /// The time windows of several policies never overlap, so that no version is ever allowed.
    WindowsNeverOverlap,
    /// The installation of a version failed.
    InstallFailed,

    /// The content of an Install is invalid or cannot be read.
    ContentInvalid,
    /// An OperatorPolicy, a Policy or a PolicyBinding is invalid.
    PolicyInvalid,
    /// A PolicyBinding or a ClusterExtension refers to a missing object and has no effect.
    ReferenceMissing,
    /// The cluster does not match an OperatorPolicy.
    PolicyNonCompliant,
    /// A ClusterCatalog of OLM v1 is not served, or its content is outdated.
    CatalogNotServed,
    /// OLM v1 does not install or upgrade a ClusterExtension, as its message says.
    ExtensionFailing,
    /// A part of Portolan does not run.
    ComponentUnavailable,
    /// A part of Portolan or its CRDs are older than another part.
    ComponentOutdated,
    /// No controller of Portolan holds its Lease.
    ControllerNotRunning,

    /// OLM or Kubernetes is working.
    InProgress,
    /// A required object could not be read.
    NotObserved,
}

/// The groups of codes, in the order in which OLM works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matter {
    /// OLM selects bundles. Includes the objects that OLM needs for this, such as catalogs.
    Resolution,
    /// OLM unpacks the image of a bundle and executes its InstallPlan.
    Delivery,
    /// The requirements of the operator.
    Needs,
    /// The workloads of the operator: Deployments and their Pods.
    Workload,
    /// The result of the installation, and the next version.
    Outcome,
}

// === impl Code ===

impl Code {
    pub(crate) fn matter(self) -> Matter {
        match self {
            Self::OlmNotRunning
            | Self::OperatorGroupMissing
            | Self::OperatorGroupsConflict
            | Self::GroupServiceAccountMissing
            | Self::InstallModeUnsupported
            | Self::CatalogMissing
            | Self::CatalogNeverReached
            | Self::CatalogUnreachable
            | Self::CatalogNotAnswering
            | Self::CatalogOutdated
            | Self::CatalogBroken
            | Self::BlockedByCatalog
            | Self::BlockedByOrphan
            | Self::PackageMissing
            | Self::ChannelMissing
            | Self::StartingCsvMissing
            | Self::DependencyMissing
            | Self::DependencyOutOfRange
            | Self::ApiProvidedTwice
            | Self::DuplicateSubscription
            | Self::ResolutionStale
            | Self::ResolutionFailed
            | Self::BlockedByNeighbor => Matter::Resolution,
            Self::UnpackFailing
            | Self::PlanFailed
            | Self::PlanMissing
            | Self::PlanAwaitsApproval
            | Self::PlanForcedManual
            | Self::PlanSuperseded
            | Self::PlanObsolete
            | Self::PlanNotStarted => Matter::Delivery,
            Self::PredecessorPending
            | Self::CrdOwnedByOther
            | Self::ApiClaimedByGroup
            | Self::CrdMissing
            | Self::CrdNotUsable
            | Self::ApiMissing
            | Self::PermissionMissing
            | Self::ClusterTooOld
            | Self::RequirementUnmet
            | Self::RequirementNotRechecked
            | Self::NotUpgradeable => Matter::Needs,
            Self::ImagePullFailing
            | Self::CrashLooping
            | Self::ContainerNotCreated
            | Self::VolumeNotAttached
            | Self::Unschedulable
            | Self::QuotaExceeded
            | Self::PodRejected
            | Self::PodFailed
            | Self::ProbeFailing
            | Self::ScaledToZero
            | Self::RolloutPaused
            | Self::DeploymentRejected
            | Self::DeploymentMissing
            | Self::DeploymentOwnedByOther
            | Self::DeploymentContested
            | Self::RolloutFailing => Matter::Workload,
            Self::DeadlinePassed
            | Self::CsvFailed
            | Self::OnlyCopied
            | Self::OperatorGone
            | Self::NextVersionNotAllowed
            | Self::OutOfSkipRange
            | Self::DeadEnd
            | Self::AllowedVersionSkipped
            | Self::NotForThisCluster
            | Self::PlanInvalid
            | Self::ObjectNotOwned
            | Self::StageBlocked
            | Self::JobFailed
            | Self::MembersNotReady
            | Self::DriftContested
            | Self::DeletionBlocked
            | Self::PlanSuspended
            | Self::OperatorInvalid
            | Self::PackageTaken
            | Self::AmbiguousCatalog
            | Self::NoUpgradePath
            | Self::BundleNotInstallable
            | Self::CrdUpgradeUnsafe
            | Self::ApprovalRequired
            | Self::BlockedByPolicy
            | Self::WindowsNeverOverlap
            | Self::InstallFailed
            | Self::ContentInvalid
            | Self::PolicyInvalid
            | Self::ReferenceMissing
            | Self::PolicyNonCompliant
            | Self::CatalogNotServed
            | Self::ExtensionFailing
            | Self::ComponentUnavailable
            | Self::ComponentOutdated
            | Self::ControllerNotRunning
            | Self::InProgress
            | Self::NotObserved => Matter::Outcome,
        }
    }
}
