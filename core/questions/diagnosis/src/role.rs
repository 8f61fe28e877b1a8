//! Decides how a diagnosis uses each health fact.

use portolan_core_health as health;

use crate::Code;
use crate::rollout::Outage;

/// The use of a health fact in a diagnosis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The fact is a separate cause about OperatorGroups.
    Group(Code),
    /// The fact is a separate cause about a requirement of the operator.
    Need(Code),
    /// The fact is a separate cause about a workload.
    DeploymentCause(Outage),
    /// The fact is only a symptom of a Deployment. A fact about its Pods may explain it.
    DeploymentSymptom,
    /// Another module examines the topic in detail: catalogs, resolution, unpacking, plans, phases,
    /// or the condition of an operator.
    Elsewhere,
    /// The problem resolves without an action.
    Passing,
    /// The object of the fact was not checked.
    Unseen,
    /// The fact is not a problem.
    Silent,
}

/// Returns the code of a cause for a Pod that does not run. Returns None if the health code is
/// about a different topic.
pub(crate) fn pod_code(code: health::HealthCode) -> Option<Code> {
    match role(code) {
        Role::DeploymentCause(outage) => Some(outage.code()),
        Role::Group(_)
        | Role::Need(_)
        | Role::DeploymentSymptom
        | Role::Elsewhere
        | Role::Passing
        | Role::Unseen
        | Role::Silent => None,
    }
}

/// Returns how a diagnosis uses a fact with this code.
pub(crate) fn role(code: health::HealthCode) -> Role {
    use health::HealthCode;
    match code {
        HealthCode::OperatorGroupMissing => Role::Group(Code::OperatorGroupMissing),
        HealthCode::OperatorGroupsConflict => Role::Group(Code::OperatorGroupsConflict),
        HealthCode::InstallModeUnsupported => Role::Group(Code::InstallModeUnsupported),
        HealthCode::GroupServiceAccountMissing => Role::Group(Code::GroupServiceAccountMissing),

        HealthCode::CatalogMissing
        | HealthCode::RegistryNotProbed
        | HealthCode::RegistryAddressUnknown
        | HealthCode::RegistryUnreachable
        | HealthCode::RegistryNotServing
        | HealthCode::RegistryTimeout
        | HealthCode::RegistryFailing
        | HealthCode::OlmNotConnected
        | HealthCode::OlmStatusWrong
        | HealthCode::CatalogNotReady
        | HealthCode::CatalogEmpty
        | HealthCode::CatalogSourcesUnhealthy => Role::Elsewhere,

        HealthCode::ImagePullFailing => Role::DeploymentCause(Outage::Unpullable),
        HealthCode::CrashLooping => Role::DeploymentCause(Outage::Crashing),
        HealthCode::ContainerNotCreated => Role::DeploymentCause(Outage::Unprepared),
        HealthCode::Unschedulable => Role::DeploymentCause(Outage::Unschedulable),
        HealthCode::QuotaExceeded => Role::DeploymentCause(Outage::OverQuota),
        HealthCode::PodRejected => Role::DeploymentCause(Outage::Refused),
        HealthCode::PodFailed => Role::DeploymentCause(Outage::PodEnded),
        HealthCode::ContainerNotReady => Role::DeploymentCause(Outage::Unready),
        HealthCode::DeploymentMissing => Role::DeploymentCause(Outage::Missing),
        HealthCode::DeploymentScaledToZero => Role::DeploymentCause(Outage::ScaledToZero),
        HealthCode::DeploymentPaused => Role::DeploymentCause(Outage::Paused),
        HealthCode::DeploymentOwnedByOther => Role::DeploymentCause(Outage::Taken),
        HealthCode::DeploymentDeadlineExceeded
        | HealthCode::DeploymentReplicaFailure
        | HealthCode::DeploymentUnavailable => Role::DeploymentSymptom,
        HealthCode::PodStarting
        | HealthCode::PodTerminating
        | HealthCode::DeploymentTerminating
        | HealthCode::DeploymentNotObserved
        | HealthCode::DeploymentProgressing => Role::Passing,

        HealthCode::CrdNamesConflict => Role::Need(Code::CrdOwnedByOther),
        HealthCode::CrdMissing => Role::Need(Code::CrdMissing),
        HealthCode::CrdTerminating
        | HealthCode::CrdNotEstablished
        | HealthCode::CrdVersionNotServed
        | HealthCode::StoredVersionGone => Role::Need(Code::CrdNotUsable),
        HealthCode::ApiServiceMissing | HealthCode::ApiServiceUnavailable => {
            Role::Need(Code::ApiMissing)
        }
        HealthCode::PermissionMissing => Role::Need(Code::PermissionMissing),
        HealthCode::RequirementNotMet => Role::Need(Code::RequirementUnmet),
        HealthCode::RequirementNotRechecked => Role::Need(Code::RequirementNotRechecked),

        HealthCode::BundleUnpackFailed
        | HealthCode::ResolutionFailed
        | HealthCode::PlanFailed
        | HealthCode::PlanMissing
        | HealthCode::PlanRequiresApproval
        | HealthCode::NotUpgradeable
        | HealthCode::CsvFailed
        | HealthCode::OnlyCopied
        | HealthCode::NotInstalled
        | HealthCode::Orphaned => Role::Elsewhere,

        HealthCode::BundleUnpacking
        | HealthCode::PlanNotStarted
        | HealthCode::PlanInstalling
        | HealthCode::SubscriptionNotObserved
        | HealthCode::SubscriptionDeleting
        | HealthCode::CsvPending
        | HealthCode::CsvInstalling
        | HealthCode::CsvReplacing
        | HealthCode::CsvDeleting
        | HealthCode::CsvPhaseUnknown => Role::Passing,

        HealthCode::NotObserved | HealthCode::CauseNotExamined => Role::Unseen,
        // These facts are about objects of other installers, which have separate diagnoses.
        HealthCode::NotReconciled
        | HealthCode::ConditionUnknown
        | HealthCode::ObjectInvalid
        | HealthCode::PackageTaken
        | HealthCode::InstallBlocked
        | HealthCode::InstallFailed
        | HealthCode::DeletionBlocked
        | HealthCode::MembersNotReady
        | HealthCode::InstallWaiting
        | HealthCode::InstallProgressing
        | HealthCode::ObjectDeleting => Role::Elsewhere,

        HealthCode::DeploymentMinimumAvailable
        | HealthCode::StoredVersionsMixed
        | HealthCode::SubscriptionCondition
        | HealthCode::ReportedByOperator
        | HealthCode::Healthy => Role::Silent,
    }
}
