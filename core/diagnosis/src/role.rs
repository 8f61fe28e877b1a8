//! What a fact of health is to a diagnosis.

use portolan_core_health as health;

use crate::Code;
use crate::rollout::Outage;

/// What a fact of health is to a diagnosis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A cause of its own, about OperatorGroups.
    Group(Code),
    /// A cause of its own, about what the operator needs.
    Need(Code),
    /// A cause of its own, about what runs.
    Runs(Outage),
    /// What a Deployment says of itself, which has its cause below it.
    Runner,
    /// It tells that a matter is to be looked at that has more to it: catalogs, resolution,
    /// unpacking, plans, phases, what an operator says itself.
    Elsewhere,
    /// It passes by itself.
    Passing,
    /// It says that something was not looked at.
    Unseen,
    /// It says nothing about trouble.
    Silent,
}

/// What a fact with this code is.
pub(crate) fn role(code: health::Code) -> Role {
    use health::Code as Fact;
    match code {
        Fact::OperatorGroupMissing => Role::Group(Code::OperatorGroupMissing),
        Fact::OperatorGroupsConflict => Role::Group(Code::OperatorGroupsConflict),
        Fact::InstallModeUnsupported => Role::Group(Code::InstallModeUnsupported),
        Fact::GroupServiceAccountMissing => Role::Group(Code::GroupAccountMissing),

        Fact::CatalogMissing
        | Fact::RegistryNotProbed
        | Fact::RegistryAddressUnknown
        | Fact::RegistryUnreachable
        | Fact::RegistryNotServing
        | Fact::RegistrySilent
        | Fact::RegistryFailing
        | Fact::OlmNotConnected
        | Fact::OlmMistaken
        | Fact::CatalogTrouble
        | Fact::CatalogEmpty
        | Fact::CatalogSourcesUnhealthy => Role::Elsewhere,

        Fact::ImagePullFailing => Role::Runs(Outage::Unpullable),
        Fact::CrashLooping => Role::Runs(Outage::Crashing),
        Fact::ContainerNotCreated => Role::Runs(Outage::Unprepared),
        Fact::Unschedulable => Role::Runs(Outage::Unschedulable),
        Fact::QuotaExceeded => Role::Runs(Outage::OverQuota),
        Fact::PodRefused => Role::Runs(Outage::Refused),
        Fact::PodFailed => Role::Runs(Outage::PodEnded),
        Fact::ContainerNotReady => Role::Runs(Outage::Unready),
        Fact::DeploymentMissing => Role::Runs(Outage::Missing),
        Fact::DeploymentScaledToZero => Role::Runs(Outage::ScaledToZero),
        Fact::DeploymentPaused => Role::Runs(Outage::Paused),
        Fact::DeploymentOfAnother => Role::Runs(Outage::Taken),
        Fact::DeploymentDeadlineExceeded
        | Fact::DeploymentReplicaFailure
        | Fact::DeploymentUnavailable => Role::Runner,
        Fact::PodStarting
        | Fact::PodTerminating
        | Fact::DeploymentTerminating
        | Fact::DeploymentNotObserved
        | Fact::DeploymentProgressing => Role::Passing,

        Fact::DefinitionNamesConflict => Role::Need(Code::DefinitionTaken),
        Fact::DefinitionMissing => Role::Need(Code::DefinitionMissing),
        Fact::DefinitionTerminating
        | Fact::DefinitionNotEstablished
        | Fact::DefinitionVersionNotServed
        | Fact::StoredVersionGone => Role::Need(Code::DefinitionUnfit),
        Fact::ApiServiceMissing | Fact::ApiServiceUnavailable => Role::Need(Code::ApiMissing),
        Fact::PermissionMissing => Role::Need(Code::PermissionMissing),
        Fact::RequirementNotMet => Role::Need(Code::RequirementUnmet),
        Fact::RequirementMetUnseen => Role::Need(Code::RequirementUnseen),

        Fact::BundleUnpackFailed
        | Fact::ResolutionFailed
        | Fact::PlanFailed
        | Fact::PlanMissing
        | Fact::PlanRequiresApproval
        | Fact::NotUpgradeable
        | Fact::CsvFailed
        | Fact::OnlyCopied
        | Fact::NotInstalled
        | Fact::Orphaned => Role::Elsewhere,

        Fact::BundleUnpacking
        | Fact::PlanInstalling
        | Fact::SubscriptionUnseen
        | Fact::SubscriptionDeleting
        | Fact::CsvPending
        | Fact::CsvInstalling
        | Fact::CsvReplacing
        | Fact::CsvDeleting
        | Fact::CsvPhaseUnknown => Role::Passing,

        Fact::NotObserved | Fact::CauseNotLookedFor => Role::Unseen,
        Fact::DeploymentMinimumAvailable
        | Fact::StoredVersionsMixed
        | Fact::SubscriptionCondition
        | Fact::OperatorSays
        | Fact::Fine => Role::Silent,
    }
}
