//! The verdict that a service returns about an object: a state with its reasons. The codes of the
//! reasons for health and for approval.

use portolan_core_names::codes;

/// The state in a verdict. The best state is first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Healthy, or approved.
    Yes,
    /// The work is in progress, or the state is unknown.
    #[default]
    NotYet,
    /// The object is unhealthy or not approved. Waiting does not help.
    No,
}

/// A state with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict<R> {
    /// The worst state of all reasons.
    pub state: State,
    /// The reasons. The reasons for the worst state are first.
    pub reasons: Vec<R>,
}

/// A reason for the state, or a remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason<C, O> {
    /// The state that the verdict would have with only this reason.
    pub state: State,
    /// The code, for programs.
    pub code: C,
    /// The object that the reason is about.
    pub object: O,
    /// The message, for users.
    pub message: String,
}

codes! {
    /// The code of a fact of health, for programs. The order is that of reasons: a reason that may
    /// cause others comes before them.
    pub enum HealthCode;

    /// Objects of a kind could not be read, or not recently.
    NotObserved,

    /// The namespace has no OperatorGroup.
    OperatorGroupMissing,
    /// The namespace has several OperatorGroups.
    OperatorGroupsConflict,
    /// The operator does not support the namespaces that the OperatorGroup selects.
    InstallModeUnsupported,
    /// The ServiceAccount of the OperatorGroup does not exist.
    GroupServiceAccountMissing,

    /// The CatalogSource does not exist.
    CatalogMissing,
    /// The registry was not probed.
    RegistryNotProbed,
    /// The address of the registry is unknown.
    RegistryAddressUnknown,
    /// The registry cannot be reached.
    RegistryUnreachable,
    /// The registry reports that it is not serving.
    RegistryNotServing,
    /// The registry accepts requests but does not answer in time.
    RegistryTimeout,
    /// The registry answers with an error or an invalid response.
    RegistryFailing,
    /// OLM is not connected to the registry, although the registry answers.
    OlmNotConnected,
    /// OLM reports the registry as healthy, although it does not answer.
    OlmStatusWrong,
    /// OLM reports a problem of the CatalogSource.
    CatalogNotReady,
    /// The registry has no packages.
    CatalogEmpty,

    /// The image of a container cannot be pulled.
    ImagePullFailing,
    /// A container crash-loops.
    CrashLooping,
    /// A container cannot be created because an object that it refers to is missing or invalid.
    ContainerNotCreated,
    /// The Pod fits on no node.
    Unschedulable,
    /// The Pod cannot be created: a quota is exhausted.
    QuotaExceeded,
    /// The Pod cannot be created: a webhook or a policy rejects it.
    PodRejected,
    /// The Pod was evicted or has failed permanently.
    PodFailed,
    /// A container runs but is not ready.
    ContainerNotReady,
    /// The Pod is starting.
    PodStarting,
    /// The Pod is being deleted.
    PodTerminating,
    /// Too many Deployments fail; the cause of this one was not examined.
    CauseNotExamined,

    /// The Deployment does not exist.
    DeploymentMissing,
    /// The Deployment is being deleted.
    DeploymentTerminating,
    /// The Deployment is scaled to zero.
    DeploymentScaledToZero,
    /// The rollout has exceeded its deadline.
    DeploymentDeadlineExceeded,
    /// The Pods of the Deployment cannot be created.
    DeploymentReplicaFailure,
    /// Too few replicas are available.
    DeploymentUnavailable,
    /// The rollout is paused.
    DeploymentPaused,
    /// The Deployment controller has not observed the latest generation.
    DeploymentNotObserved,
    /// The rollout is in progress.
    DeploymentProgressing,
    /// The minimum number of replicas is available during the rollout.
    DeploymentMinimumAvailable,
    /// The Deployment belongs to another operator.
    DeploymentOwnedByOther,

    /// A CustomResourceDefinition does not exist.
    CrdMissing,
    /// A CustomResourceDefinition is being deleted, with all its custom resources.
    CrdTerminating,
    /// The names of a CustomResourceDefinition are already used.
    CrdNamesConflict,
    /// A CustomResourceDefinition is not established.
    CrdNotEstablished,
    /// A CustomResourceDefinition does not serve the version.
    CrdVersionNotServed,
    /// Custom resources are stored in a version that the CustomResourceDefinition no longer has.
    StoredVersionGone,
    /// Custom resources are stored in several versions.
    StoredVersionsMixed,
    /// The APIService does not exist.
    ApiServiceMissing,
    /// The APIService exists but does not answer.
    ApiServiceUnavailable,
    /// A permission is missing.
    PermissionMissing,
    /// A requirement of the operator is not met.
    RequirementNotMet,
    /// A requirement is met now, but OLM has not checked it again.
    RequirementNotRechecked,

    /// OLM cannot unpack the bundle.
    BundleUnpackFailed,
    /// OLM is unpacking the bundle.
    BundleUnpacking,
    /// OLM finds no set of bundles that satisfies all requirements.
    ResolutionFailed,
    /// OLM reports an unhealthy catalog.
    CatalogSourcesUnhealthy,
    /// The InstallPlan failed.
    PlanFailed,
    /// The InstallPlan does not exist.
    PlanMissing,
    /// The InstallPlan waits for approval.
    PlanRequiresApproval,
    /// The InstallPlan is approved, and OLM has not started it.
    PlanNotStarted,
    /// The InstallPlan is being executed.
    PlanInstalling,
    /// OLM has not written a status of the Subscription.
    SubscriptionNotObserved,
    /// The Subscription is being deleted.
    SubscriptionDeleting,
    /// The Subscription has an unknown condition.
    SubscriptionCondition,

    /// The operator reports that it cannot be upgraded.
    NotUpgradeable,
    /// A condition that the operator reports.
    ReportedByOperator,

    /// OLM reports that the operator failed.
    CsvFailed,
    /// OLM has not started to install the operator.
    CsvPending,
    /// OLM is installing the operator.
    CsvInstalling,
    /// A newer ClusterServiceVersion is replacing this one.
    CsvReplacing,
    /// The ClusterServiceVersion is being deleted.
    CsvDeleting,
    /// The ClusterServiceVersion has no phase, or an unknown one.
    CsvPhaseUnknown,
    /// The operator is installed in another namespace only.
    OnlyCopied,
    /// No operator is installed.
    NotInstalled,
    /// The ClusterServiceVersion has no Subscription.
    Orphaned,

    /// No controller has reconciled the object in its current generation.
    NotReconciled,
    /// A condition is missing, or has an unknown status or reason.
    ConditionUnknown,
    /// The object or its content is invalid.
    ObjectInvalid,
    /// Something else has installed the package.
    PackageTaken,
    /// The installation or upgrade of a version cannot continue until something is changed.
    InstallBlocked,
    /// The installation or upgrade of a version failed.
    InstallFailed,
    /// The deletion of the object is blocked.
    DeletionBlocked,
    /// An installed object is missing or is not ready.
    MembersNotReady,
    /// The installation or upgrade waits for an approval, a time, a dependency or another operator.
    InstallWaiting,
    /// A version is being installed.
    InstallProgressing,
    /// The object is being deleted.
    ObjectDeleting,

    /// The object is healthy.
    Healthy,
}

/// The topic of a [`HealthCode`]. Each topic has several codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthTopic {
    /// The objects could not be observed.
    Observation,
    /// The OperatorGroup of the namespace.
    OperatorGroup,
    /// The catalog, or the registry that serves it.
    Catalog,
    /// The reason why Pods of a Deployment are not ready, so that the Deployment is not available.
    PodFailure,
    /// Pods that start or stop, and Pods that are not ready for an unknown reason.
    PodProgress,
    /// The Deployments of the operator.
    Deployment,
    /// The requirements of the operator: CRDs, APIs, permissions.
    Requirement,
    /// OLM's work for a Subscription: bundles, resolution, InstallPlans.
    Subscription,
    /// The conditions that the operator reports about itself.
    OperatorCondition,
    /// The phase of the ClusterServiceVersion.
    Phase,
    /// The existence and the owner of the operator.
    Presence,
    /// The conditions of an object that installs an operator without OLM v0.
    Installation,
    /// There is no problem.
    Fine,
}

// === impl HealthCode ===

impl HealthCode {
    /// Returns the topic of the code. Code that handles several codes in the same way matches on
    /// topics. So every new code is handled as soon as it has a topic.
    pub fn topic(self) -> HealthTopic {
        match self {
            Self::NotObserved => HealthTopic::Observation,
            Self::OperatorGroupMissing
            | Self::OperatorGroupsConflict
            | Self::InstallModeUnsupported
            | Self::GroupServiceAccountMissing => HealthTopic::OperatorGroup,
            Self::CatalogMissing
            | Self::RegistryNotProbed
            | Self::RegistryAddressUnknown
            | Self::RegistryUnreachable
            | Self::RegistryNotServing
            | Self::RegistryTimeout
            | Self::RegistryFailing
            | Self::OlmNotConnected
            | Self::OlmStatusWrong
            | Self::CatalogNotReady
            | Self::CatalogEmpty => HealthTopic::Catalog,
            Self::ImagePullFailing
            | Self::CrashLooping
            | Self::ContainerNotCreated
            | Self::Unschedulable
            | Self::QuotaExceeded
            | Self::PodRejected
            | Self::PodFailed
            | Self::ContainerNotReady => HealthTopic::PodFailure,
            Self::PodStarting | Self::PodTerminating | Self::CauseNotExamined => {
                HealthTopic::PodProgress
            }
            Self::DeploymentMissing
            | Self::DeploymentTerminating
            | Self::DeploymentScaledToZero
            | Self::DeploymentDeadlineExceeded
            | Self::DeploymentReplicaFailure
            | Self::DeploymentUnavailable
            | Self::DeploymentPaused
            | Self::DeploymentNotObserved
            | Self::DeploymentProgressing
            | Self::DeploymentMinimumAvailable
            | Self::DeploymentOwnedByOther => HealthTopic::Deployment,
            Self::CrdMissing
            | Self::CrdTerminating
            | Self::CrdNamesConflict
            | Self::CrdNotEstablished
            | Self::CrdVersionNotServed
            | Self::StoredVersionGone
            | Self::StoredVersionsMixed
            | Self::ApiServiceMissing
            | Self::ApiServiceUnavailable
            | Self::PermissionMissing
            | Self::RequirementNotMet
            | Self::RequirementNotRechecked => HealthTopic::Requirement,
            Self::BundleUnpackFailed
            | Self::BundleUnpacking
            | Self::ResolutionFailed
            | Self::CatalogSourcesUnhealthy
            | Self::PlanFailed
            | Self::PlanMissing
            | Self::PlanRequiresApproval
            | Self::PlanNotStarted
            | Self::PlanInstalling
            | Self::SubscriptionNotObserved
            | Self::SubscriptionDeleting
            | Self::SubscriptionCondition => HealthTopic::Subscription,
            Self::NotUpgradeable | Self::ReportedByOperator => HealthTopic::OperatorCondition,
            Self::CsvFailed
            | Self::CsvPending
            | Self::CsvInstalling
            | Self::CsvReplacing
            | Self::CsvDeleting
            | Self::CsvPhaseUnknown => HealthTopic::Phase,
            Self::OnlyCopied | Self::NotInstalled | Self::Orphaned => HealthTopic::Presence,
            Self::NotReconciled
            | Self::ConditionUnknown
            | Self::ObjectInvalid
            | Self::PackageTaken
            | Self::InstallBlocked
            | Self::InstallFailed
            | Self::DeletionBlocked
            | Self::MembersNotReady
            | Self::InstallWaiting
            | Self::InstallProgressing
            | Self::ObjectDeleting => HealthTopic::Installation,
            Self::Healthy => HealthTopic::Fine,
        }
    }
}

codes! {
    /// The reason why an InstallPlan may not be approved, for programs, in the order of reasons.
    pub enum ApprovalCode;

    /// An object that decides cannot be read, or is outdated.
    NotObserved,
    /// OLM has not written the content of the plan yet.
    NotWritten,
    /// The plan is complete or has failed. Nothing is left to approve.
    Finished,
    /// A newer plan or a Subscription names another bundle of the same package.
    Superseded,
    /// The Subscription does not name the plan yet.
    NotCurrent,
    /// A step belongs to no bundle of the plan.
    StepWithoutBundle,
    /// The package of a bundle is unknown.
    UnknownPackage,
    /// No policy is for the package, and no allowed bundle depends on it.
    NoPolicy,
    /// The plan waits and contains a bundle that no Subscription requests and no bundle depends on.
    NoSubscription,
    /// The policy of the dependent bundle does not allow dependencies.
    DependencyNotAllowed,
    /// The bundle is a dependency, but its version is outside the required range.
    DependencyOutOfRange,
    /// The policy allows other bundles.
    NotAllowed,
    /// The policy requires another catalog.
    OtherCatalog,
    /// The policy does not allow upgrades.
    UpdatesNotAllowed,
    /// The policy has `remediationAction: inform`.
    PolicyInforms,
    /// The policy requires that the operator is not installed.
    PolicyForbids,
    /// The policy is invalid.
    PolicyInvalid,
    /// Several policies are for the same package and namespace.
    PolicyOverlaps,
    /// The policy is being deleted.
    PolicyTerminating,
    /// The namespace of a policy is not known yet.
    PolicyUnresolved,
    /// The Subscription of the policy does not exist yet, and OLM would create a second one.
    SubscriptionMissing,
    /// The window for approvals is closed.
    TimeRestricted,
    /// A rule that is bound to the policy does not allow it.
    DeniedByPolicy,
    /// The windows and rules that are bound to the policy cannot be evaluated.
    PolicyServiceUnavailable,
    /// A remark: Subscriptions with automatic approval wait because of others.
    ForcedManual,
}

/// The effect of an [`ApprovalCode`] on an InstallPlan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalTopic {
    /// The plan no longer needs an approval.
    Settled,
    /// The outcome is unknown.
    Doubt,
    /// The plan waits until OLM or a controller writes an object.
    Awaited,
    /// The plan waits until a known time.
    Timed,
    /// Policies do not approve the plan automatically, but a user may approve it.
    ByHand,
    /// Policies forbid the plan.
    Objection,
    /// A remark, without an effect.
    Remark,
}

// === impl ApprovalCode ===

impl ApprovalCode {
    /// Returns the effect of the code on an InstallPlan. Code that handles several codes in the
    /// same way matches on topics. So every new code is handled as soon as it has a topic.
    pub fn topic(self) -> ApprovalTopic {
        match self {
            Self::Finished | Self::Superseded => ApprovalTopic::Settled,
            Self::NotObserved | Self::PolicyServiceUnavailable => ApprovalTopic::Doubt,
            Self::NotWritten
            | Self::NotCurrent
            | Self::PolicyUnresolved
            | Self::SubscriptionMissing => ApprovalTopic::Awaited,
            Self::TimeRestricted => ApprovalTopic::Timed,
            Self::UpdatesNotAllowed => ApprovalTopic::ByHand,
            Self::StepWithoutBundle
            | Self::UnknownPackage
            | Self::NoPolicy
            | Self::NoSubscription
            | Self::DependencyNotAllowed
            | Self::DependencyOutOfRange
            | Self::NotAllowed
            | Self::OtherCatalog
            | Self::PolicyInforms
            | Self::PolicyForbids
            | Self::PolicyInvalid
            | Self::PolicyOverlaps
            | Self::PolicyTerminating
            | Self::DeniedByPolicy => ApprovalTopic::Objection,
            Self::ForcedManual => ApprovalTopic::Remark,
        }
    }
}

// === impl Verdict ===

/// The default verdict has an unknown state and no reasons.
impl<R> Default for Verdict<R> {
    fn default() -> Self {
        Self {
            state: State::default(),
            reasons: Vec::new(),
        }
    }
}

impl<C: Ord, O: Ord> Verdict<Reason<C, O>> {
    /// Returns the verdict with these reasons. Sorts the reasons by state (worst first), code and
    /// object, with a stable sort.
    pub fn of(mut reasons: Vec<Reason<C, O>>) -> Self {
        reasons.sort_by(|a, b| {
            let worst_first = b.state.cmp(&a.state);
            worst_first.then_with(|| (&a.code, &a.object).cmp(&(&b.code, &b.object)))
        });
        let state = reasons.first().map_or(State::Yes, |worst| worst.state);
        Self { state, reasons }
    }
}

#[cfg(test)]
mod tests {
    use portolan_core_names::WireCode;

    use super::HealthCode;

    #[test]
    fn unknown_code_is_kept_when_parsed_and_serialized() {
        let sent = ["Healthy", "fine", "OfALaterVersion", ""];
        let codes = sent.map(WireCode::<HealthCode>::from);
        let known = codes.each_ref().map(WireCode::known);
        assert_eq!(known, [Some(HealthCode::Healthy), None, None, None]);
        assert_eq!(codes.map(|code| code.to_string()), sent);
    }
}
