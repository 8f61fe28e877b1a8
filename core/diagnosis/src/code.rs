//! The codes of causes.

use portolan_core_names::codes;

codes! {
    /// The code of a cause, for programs. The order is that in which causes block each other: what
    /// OLM needs first comes first, and what can only happen after it comes later.
    pub enum Code;

    /// The namespace has no OperatorGroup, or is about to lose it.
    OperatorGroupMissing,
    /// The namespace has more than one.
    OperatorGroupsConflict,
    /// The ServiceAccount that the OperatorGroup names is not there.
    GroupAccountMissing,
    /// The operator does not work in the way in which the OperatorGroup selects namespaces.
    InstallModeUnsupported,

    /// The CatalogSource that the Subscription names is not there.
    CatalogMissing,
    /// OLM has never had a connection to the registry of the catalog; if its Pod does not run, why.
    CatalogNeverReached,
    /// The registry of the catalog does not answer, and OLM says so; if its Pod does not run, why.
    CatalogUnreachable,
    /// The registry of the catalog does not answer, and OLM says that it does; if its Pod does not run, why.
    CatalogDead,
    /// The catalog has nothing as new as what is installed from it.
    CatalogOutdated,
    /// A channel of the catalog, or a requirement of a bundle, is written so that OLM gives up.
    CatalogBroken,

    /// A catalog that the operator does not use fails the whole namespace.
    BlockedByCatalog,
    /// An operator that no Subscription asks for is in the way.
    OrphanInTheWay,

    /// The catalog has no such package.
    PackageMissing,
    /// The package has no such channel.
    ChannelMissing,
    /// The channel does not have the bundle that startingCSV names.
    StartMissing,
    /// Nothing that is visible here fulfills a dependency.
    DependencyMissing,
    /// What could fulfill a dependency is there in other versions only.
    DependencyOutOfRange,
    /// Another operator of the namespace provides the same API.
    ProviderClash,
    /// Another Subscription of the namespace is for the same package.
    PackageClash,
    /// OLM says that it cannot resolve the namespace, and nothing of that holds any more.
    ResolutionStale,
    /// OLM says that it cannot resolve the namespace, for reasons that are not understood here.
    ResolutionFailed,
    /// A Subscription or a ClusterServiceVersion of a neighbor fails the whole namespace.
    BlockedByNeighbor,

    /// OLM cannot unpack the bundle.
    UnpackFailing,

    /// The InstallPlan was given up.
    PlanFailed,
    /// The InstallPlan is not there.
    PlanMissing,
    /// The InstallPlan waits for somebody to approve it.
    PlanAwaitsApproval,
    /// The same, and only because a neighbor is Manual.
    PlanForcedManual,
    /// An InstallPlan waits for approval whose place a newer one has taken.
    PlanSuperseded,
    /// An InstallPlan waits for approval and installs a bundle that no Subscription asks for.
    PlanObsolete,

    /// The ClusterServiceVersion that the next one replaces is Pending, so OLM never replaces it.
    PredecessorPending,

    /// A kind that the operator brings belongs to another operator.
    DefinitionTaken,
    /// The definition of a kind is not there.
    DefinitionMissing,
    /// The definition of a kind is there and does not do.
    DefinitionUnfit,
    /// An API that an API server of its own serves is not there, or does not answer.
    ApiMissing,
    /// A permission is missing.
    PermissionMissing,
    /// The cluster is too old for the bundle that OLM installs.
    ClusterTooOld,
    /// Something else that the operator needs is not there.
    RequirementUnmet,
    /// What was missing is there, and OLM has not looked again.
    RequirementUnseen,
    /// The operator reports Upgradeable=False, or the administrator does so for it.
    NotUpgradeable,

    /// An image cannot be pulled.
    ImagePullFailing,
    /// A container crash-loops.
    CrashLooping,
    /// A container cannot be made.
    ContainerNotCreated,
    /// No node takes the Pod.
    Unschedulable,
    /// A quota is used up.
    QuotaExceeded,
    /// A webhook or a policy refuses the Pod.
    PodRefused,
    /// The Pod was thrown out, or has failed for good.
    PodFailed,
    /// A container runs and is not ready.
    ProbeFailing,
    /// Somebody has scaled the Deployment to zero.
    ScaledToZero,
    /// Somebody has paused the Deployment.
    RolloutPaused,
    /// The Deployment is not there.
    DeploymentMissing,
    /// The Deployment belongs to another operator.
    DeploymentTaken,
    /// The Deployment fails, and nobody can tell why.
    RolloutFailing,

    /// OLM gave up at its deadline; the cause is gone, and OLM does not look again.
    DeadlinePassed,
    /// OLM says that the operator failed, for a reason that is nothing of the above.
    CsvFailed,
    /// Only another namespace has the operator.
    OnlyCopied,
    /// Somebody has deleted the operator, and OLM takes it for installed.
    OperatorGone,

    /// What would take over may not be installed.
    HopForbidden,
    /// What would take over does not cover the installed version.
    OutOfSkipRange,
    /// Nothing in the channel takes over, though there is something newer.
    DeadEnd,
    /// OLM leaps over the version that a policy allows.
    AllowedVersionLeapt,
    /// Something newer is there, and not for this cluster.
    NotForThisCluster,

    /// An InstallPlan of `plans.portolan.dev` cannot be carried out as it is, or waits for what it refers to.
    PlanInvalid,
    /// An object is there already, or has fields of others, and the plan may not take it over.
    CollisionRefused,
    /// A stage of the plan takes longer than its deadline, or the API server refuses a write.
    StageStuck,
    /// A Job of the plan has failed, and the next stage waits for it.
    JobFailed,
    /// Something that the plan has applied is not there, or does not work.
    MembersNotReady,
    /// Somebody changes or deletes what the plan has applied as often as it is put right.
    DriftContested,
    /// The plan, or the one before it, is to go, and something keeps what it made from going.
    DeletionBlocked,
    /// Somebody has told the plan to do nothing, or an Operator has not let its plan begin.
    PlanSuspended,

    /// An Operator of `operators.operatorframework.io` cannot be carried out as it is.
    OperatorInvalid,
    /// OLM, a ClusterExtension or another Operator has the package.
    PackageTaken,
    /// Several catalogs have the package, and none comes first.
    CatalogAmbiguous,
    /// Nothing leads to the version that is wanted.
    VersionUnreachable,
    /// A bundle on the way cannot be read or installed, or is another one than was installed.
    BundleRefused,
    /// Custom resources may lose something by the next version, and nobody has accepted that.
    DefinitionUnsafe,
    /// The next version waits for somebody who lets it go.
    ApprovalRequired,
    /// Policies do not let the next version begin now, or nobody says whether they do.
    PolicyHolds,
    /// A version that was begun did not come to its end.
    InstallFailed,

    /// OLM or Kubernetes is at work.
    UnderWay,
    /// Something that the answer leans on is not seen.
    NotObserved,
}

/// The matter that a code is about, in the order in which OLM comes to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matter {
    /// The prerequisites of OLM's decision on bundles, and the decision itself.
    Resolution,
    /// The delivery of a bundle to the cluster: its image and its InstallPlan.
    Delivery,
    /// The requirements of the operator besides itself.
    Needs,
    /// The workloads of the operator: Deployments and their Pods.
    Workload,
    /// The outcome of all that, and what comes next.
    Outcome,
}

// === impl Code ===

impl Code {
    pub(crate) fn matter(self) -> Matter {
        match self {
            Self::OperatorGroupMissing
            | Self::OperatorGroupsConflict
            | Self::GroupAccountMissing
            | Self::InstallModeUnsupported
            | Self::CatalogMissing
            | Self::CatalogNeverReached
            | Self::CatalogUnreachable
            | Self::CatalogDead
            | Self::CatalogOutdated
            | Self::CatalogBroken
            | Self::BlockedByCatalog
            | Self::OrphanInTheWay
            | Self::PackageMissing
            | Self::ChannelMissing
            | Self::StartMissing
            | Self::DependencyMissing
            | Self::DependencyOutOfRange
            | Self::ProviderClash
            | Self::PackageClash
            | Self::ResolutionStale
            | Self::ResolutionFailed
            | Self::BlockedByNeighbor => Matter::Resolution,
            Self::UnpackFailing
            | Self::PlanFailed
            | Self::PlanMissing
            | Self::PlanAwaitsApproval
            | Self::PlanForcedManual
            | Self::PlanSuperseded
            | Self::PlanObsolete => Matter::Delivery,
            Self::PredecessorPending
            | Self::DefinitionTaken
            | Self::DefinitionMissing
            | Self::DefinitionUnfit
            | Self::ApiMissing
            | Self::PermissionMissing
            | Self::ClusterTooOld
            | Self::RequirementUnmet
            | Self::RequirementUnseen
            | Self::NotUpgradeable => Matter::Needs,
            Self::ImagePullFailing
            | Self::CrashLooping
            | Self::ContainerNotCreated
            | Self::Unschedulable
            | Self::QuotaExceeded
            | Self::PodRefused
            | Self::PodFailed
            | Self::ProbeFailing
            | Self::ScaledToZero
            | Self::RolloutPaused
            | Self::DeploymentMissing
            | Self::DeploymentTaken
            | Self::RolloutFailing => Matter::Workload,
            Self::DeadlinePassed
            | Self::CsvFailed
            | Self::OnlyCopied
            | Self::OperatorGone
            | Self::HopForbidden
            | Self::OutOfSkipRange
            | Self::DeadEnd
            | Self::AllowedVersionLeapt
            | Self::NotForThisCluster
            | Self::PlanInvalid
            | Self::CollisionRefused
            | Self::StageStuck
            | Self::JobFailed
            | Self::MembersNotReady
            | Self::DriftContested
            | Self::DeletionBlocked
            | Self::PlanSuspended
            | Self::OperatorInvalid
            | Self::PackageTaken
            | Self::CatalogAmbiguous
            | Self::VersionUnreachable
            | Self::BundleRefused
            | Self::DefinitionUnsafe
            | Self::ApprovalRequired
            | Self::PolicyHolds
            | Self::InstallFailed
            | Self::UnderWay
            | Self::NotObserved => Matter::Outcome,
        }
    }
}
